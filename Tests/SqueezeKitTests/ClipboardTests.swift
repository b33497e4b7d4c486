// `squeeze --copy`, with programs of the tests' own in place of the clipboard's.
import Foundation
import Testing

struct ClipboardTests {
    /// Linked and not written: the system refuses to run a file that any process, even one just started by another
    /// test, has open for writing.
    private func put(_ program: String, linkedTo target: String, in folder: Folder) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(program)", withDestinationPath: target)
    }

    private var fixture: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/clipboard").path
    }

    private func run(_ arguments: [String], in folder: Folder, input: String = "") async throws -> SqueezeProcess {
        let server = try WireServer { head in .answer(200, "http://s.test/\(longURL(inRequest: head)?.last ?? "-")") }
        return try await SqueezeProcess.run(
            arguments, environment: ["SQUEEZE_SERVER": server.address, "SQUEEZE_KEY": key, "PATH": folder.path],
            input: Data(input.utf8))
    }

    private func endKeeper(in folder: Folder) {
        if let pid = folder.read("pid").flatMap({ pid_t($0.trimmingCharacters(in: .newlines)) }) { kill(pid, SIGTERM) }
    }

    @Test func `--copy gives the short URL to xclip, which may stay behind`() async throws {
        let folder = try Folder()
        defer { endKeeper(in: folder) }
        try put("xclip", linkedTo: fixture, in: folder)
        let start = ContinuousClock.now
        let run = try await run(["http://a.example/7", "--copy"], in: folder)
        #expect(run.output == "http://s.test/7\n")
        #expect(run.errors.isEmpty)
        #expect(run.status == 0)
        #expect(folder.read("copied") == "http://s.test/7")
        #expect(folder.read("arguments") == "-selection clipboard")
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `--copy with standard input copies all that was printed`() async throws {
        let folder = try Folder()
        defer { endKeeper(in: folder) }
        try put("pbcopy", linkedTo: fixture, in: folder)
        let run = try await run(["--copy", "-"], in: folder, input: "http://a.example/7\nhttp://a.example/8\n")
        #expect(run.status == 0)
        #expect(folder.read("copied") == "http://s.test/7\nhttp://s.test/8")
        #expect(folder.read("arguments")?.isEmpty == true)
    }

    @Test func `where the first program fails the next one is used`() async throws {
        let folder = try Folder()
        defer { endKeeper(in: folder) }
        try put("wl-copy", linkedTo: "/bin/false", in: folder)
        try put("xclip", linkedTo: fixture, in: folder)
        let run = try await run(["http://a.example/7", "--copy"], in: folder)
        #expect(run.status == 0)
        #expect(folder.read("copied") == "http://s.test/7")
    }

    @Test func `without a program the short URL is printed all the same, and 1 says that it was not copied`() async throws {
        let folder = try Folder()
        _ = try folder.write("", to: "xclip")
        let run = try await run(["http://a.example/7", "--copy"], in: folder)
        #expect(run.output == "http://s.test/7\n")
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("squeeze: not copied: "))
    }
}
