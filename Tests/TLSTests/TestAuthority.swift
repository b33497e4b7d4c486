// An authority of the tests' own, made once a run with the openssl command, and certificates that it signs.
import Foundation
import Sanitizer
import HTTP

/// A running of a program: its exit code and what it wrote.
struct Outcome {
    let code: Int32
    let output: String
    let errors: String

    /// Runs the first of `words`, found in PATH, with `input` on its standard input, by default in this program's environment but
    /// for the settings. Blocks: call it by `offThread`.
    init(_ words: [String], input: String = "", environment: [String: String]? = nil) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let plain = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SHORTY_") }
        process.environment = (environment ?? plain).merging(Sanitizer.options) { $1 }
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (pipes.input, pipes.output, pipes.errors)
        try process.run()
        let reading = DispatchQueue(label: "test.errors")
        let errors = Box<Data>()
        reading.async { errors.value = pipes.errors.fileHandleForReading.readDataToEndOfFile() }
        try pipes.input.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipes.input.fileHandleForWriting.close()
        let output = pipes.output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        code = process.terminationStatus
        self.output = String(decoding: output, as: UTF8.self)
        self.errors = reading.sync { String(decoding: errors.value ?? Data(), as: UTF8.self) }
    }

    /// Whether a program runs with these words and ends well.
    static func isGood(_ words: String...) -> Bool { (try? Outcome(words))?.code == 0 }
}

/// Handed from one queue to another that waits for it.
final class Box<Value>: @unchecked Sendable { var value: Value? }

/// Runs blocking code away from the threads that run the tests.
func offThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "test.blocking").async { continuation.resume(with: Swift.Result(catching: body)) }
    }
}

/// An authority in a folder of its own.
struct TestAuthority: Sendable {
    /// One for all tests of a run.
    static let shared = Result { try TestAuthority() }

    let folder: URL
    /// The authority's own certificate, for clients to trust.
    var certificate: String { folder.appendingPathComponent("authority.pem").path }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Deleted when the run ends.
        folderToDelete.value = folder
        atexit { if let folder = folderToDelete.value { try? FileManager.default.removeItem(at: folder) } }
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=Test authority", "-keyout", "authority.key", "-out", "authority.pem")
    }

    /// What a certificate is to be like.
    struct Order {
        var names = ["s.example", "*.s.example"]
        /// Days from now.
        var from = -1
        var to = 30
        /// As `openssl req -newkey` wants it.
        var key = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        /// Seals the key with a password.
        var isSealed = false
    }

    /// Makes a certificate and its key in files of their own. Blocks.
    func issue(_ order: Order = Order()) throws -> CertificateFiles {
        let name = UUID().uuidString
        let seal = order.isSealed ? ["-passout", "pass:secret"] : ["-nodes"]
        try openssl(
            ["req", "-newkey"] + order.key + seal + ["-subj", "/CN=test", "-keyout", "\(name).key", "-out", "\(name).csr"])
        let subject = order.names.map { "DNS:\($0)" }.joined(separator: ",")
        let configuration = """
            [ca]
            default_ca = authority
            [authority]
            database = \(name).index
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            x509_extensions = leaf
            [any]
            commonName = optional
            [leaf]
            basicConstraints = CA:FALSE
            \(subject.isEmpty ? "" : "subjectAltName = \(subject),IP:127.0.0.1")
            """
        try write(configuration, to: "\(name).conf")
        try write("", to: "\(name).index")
        try openssl(
            "ca", "-batch", "-notext", "-config", "\(name).conf", "-cert", "authority.pem", "-keyfile", "authority.key",
            "-startdate", Self.date(order.from), "-enddate", Self.date(order.to), "-in", "\(name).csr", "-out",
            "\(name).pem")
        let path = { (end: String) in folder.appendingPathComponent(name + end).path }
        return CertificateFiles(certificate: path(".pem"), key: path(".key"))
    }

    @discardableResult func write(_ text: String, to name: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try text.write(to: file, atomically: false, encoding: .utf8)
        return file.path
    }

    private func openssl(_ words: String...) throws { try openssl(words) }

    private func openssl(_ words: [String]) throws {
        // env(1): in the authority's folder.
        let outcome = try Outcome(["-C", folder.path, "openssl"] + words)
        guard outcome.code == 0 else { throw TestFault("openssl \(words.joined(separator: " ")): \(outcome.errors)") }
    }

    private static func date(_ days: Int) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return formatter.string(from: Date(timeIntervalSinceNow: Double(days) * 86_400))
    }
}

private let folderToDelete = Box<URL>()

struct TestFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
