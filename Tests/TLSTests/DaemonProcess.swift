// The program itself, as it is built, in a process of its own.
import Foundation
import HTTP
import Sanitizer
import Testing

/// A running `shorty serve`; ended with its last reference.
final class DaemonProcess: @unchecked Sendable {
    // Sendable by hand: only `waitForLine`, `signal` and the numbers are used after `init`, and those do not change anything.
    let folder: URL
    /// In the order of `server.listen`.
    let ports: [UInt16]
    private let process = Process()
    private let errors: URL

    /// The folder of built programs, which the tests' own is in.
    static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    static func program(_ name: String) -> String { programs.appendingPathComponent(name).path }

    /// Starts a daemon with `settings`, as the file has them, and the key `secret-key`; returns when it listens. Blocks.
    init(listen: [String], _ settings: String) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("shorty.json5")
        try "{ \(settings) }".write(to: file, atomically: false, encoding: .utf8)
        errors = folder.appendingPathComponent("log")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: Self.program("shorty"))
        process.arguments =
            ["serve", "--config", file.path, "--database", folder.appendingPathComponent("shorty.db").path]
            + listen.flatMap { ["--listen", $0] }
        process.environment = ["SHORTY_KEYS_SECRET": "secret-key"].merging(Sanitizer.options) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        var ports: [UInt16] = []
        for _ in 0..<200 where ports.count < listen.count {
            usleep(50_000)
            ports = Self.log(errors).split(separator: "\n").compactMap { line in
                guard let range = line.range(of: "listening address=") else { return nil }
                let address = line[range.upperBound...].prefix { $0 != " " }
                return UInt16(address.split(separator: ":").last ?? "")
            }
        }
        self.ports = ports
        guard ports.count == listen.count else { throw TestFault("it does not listen: \(Self.log(errors))") }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    var log: String { Self.log(errors) }

    private static func log(_ file: URL) -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    /// Waits until the log has a text so often; false if it does not within ten seconds.
    func says(_ text: String, times: Int = 1) -> Bool {
        for _ in 0..<200 {
            if log.components(separatedBy: text).count > times { return true }
            usleep(50_000)
        }
        return false
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Open descriptors now.
    var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count) ?? 0
    }

    /// Resident memory now, in KiB.
    var memory: Int {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

/// Settings for certificates, in the file's language.
func tlsSettings(_ pairs: [CertificateFiles], _ server: String = "") -> String {
    let list = { (paths: [String]) in "[" + paths.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
    return "server: { \(server) }, tls: { certificate: \(list(pairs.map(\.certificate))), key: \(list(pairs.map(\.key))) }"
}
