// Runs the built `squeeze` as its users do: arguments, environment, standard input; and keeps what it says and how it ends.
import Sanitizer
import Foundation

struct SqueezeProcess {
    let status: Int32
    let output: String
    let errors: String

    /// Runs it to its end, with nothing but `environment` around it.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: Data = Data()
    ) async throws -> Self {
        // On a thread of its own: it waits, and the test's thread may be one that the client under test needs.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try wait(arguments, environment, input) })
            }
        }
    }

    private static func wait(_ arguments: [String], _ environment: [String: String], _ input: Data) throws -> Self {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        process.environment = environment.merging(Sanitizer.options) { $1 }
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        Thread.detachNewThread {
            try? standardInput.fileHandleForWriting.write(contentsOf: input)
            try? standardInput.fileHandleForWriting.close()
        }
        let outputData = try output.fileHandleForReading.readToEnd() ?? Data()
        let errorData = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Self(
            status: process.terminationStatus, output: String(decoding: outputData, as: UTF8.self),
            errors: String(decoding: errorData, as: UTF8.self))
    }

    /// Beside the tests' own executable, where the build puts all products.
    private static func executable() throws -> URL {
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return tests.deletingLastPathComponent().appendingPathComponent("squeeze")
    }
}

/// A folder for one test, gone with its last reference.
final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("squeeze-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    func read(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
}
