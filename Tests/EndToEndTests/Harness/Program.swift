// The real program: where it is, and commands of it and of others run to their end.
internal import Foundation
internal import Sanitizer
internal import Glibc

/// A folder that is gone with the test.
final class TemporaryFolder: Sendable {
    let path: String

    /// In memory where the machine has such a place with room, so that a slow disk fails no test; `onDisk` is for what is to be
    /// seen on a real one.
    init(onDisk: Bool = false) throws {
        let parent = onDisk ? nil : Self.memory
        path = (parent ?? FileManager.default.temporaryDirectory.path) + "/shorty-e2e-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// shm_overview(7): a tmpfs on every Linux, but of 64 MiB in many a container, which the largest stores here would fill.
    private static let memory: String? = {
        let place = "/dev/shm"
        var room = statvfs()
        guard FileManager.default.isWritableFile(atPath: place), unsafe statvfs(place, &room) == 0 else { return nil }
        return room.f_bavail * UInt(room.f_frsize) > 2 << 30 ? place : nil
    }()

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The absolute name of a file inside.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file inside and returns its name.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }
}

/// What a finished command left.
struct Outcome {
    let ending: Ending
    let output: String
    let errors: String

    var isSuccess: Bool { ending == .exit(0) }
}

enum Program {
    /// The program as it was built with the tests, beside their bundle.
    static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "shorty").path

    /// What every process of a test sees, and nothing else of what is set here but how a sanitizer is to report.
    static let plainEnvironment = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
        .merging(Sanitizer.options) { $1 }

    /// Runs `shorty` with these arguments to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: TemporaryFolder
    ) throws -> Outcome {
        try finish([path] + arguments, environment: environment, in: folder)
    }

    /// Runs another program, found by its name, to its end.
    static func run(tool: String, _ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
        guard let tool = find(tool) else { throw Trouble("\(tool) is missing; config/install-packages installs it") }
        return try finish([tool] + arguments, environment: [:], in: folder)
    }

    /// Where a tool is, or nil.
    static func find(_ tool: String) -> String? {
        plainEnvironment["PATH"]?.split(separator: ":").map { "\($0)/\(tool)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func finish(
        _ words: [String], environment: [String: String], in folder: TemporaryFolder
    ) throws -> Outcome {
        let child = try Child(
            words, environment: plainEnvironment.merging(environment) { $1 }, folder: folder.path)
        let ending = try child.wait(within: .seconds(60))
        return Outcome(ending: ending, output: child.output, errors: child.errors)
    }
}
