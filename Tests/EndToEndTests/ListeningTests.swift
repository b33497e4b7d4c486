// Where the daemon can be reached, and what it says where it cannot listen.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct ListeningTests {
    private func ask(_ place: Place) throws -> Int {
        let wire = try Wire(place)
        try wire.send("GET /healthz HTTP/1.1\r\nHost: s.test\r\n\r\n")
        return try wire.reply().status
    }

    @Test func `an IPv6 address serves IPv6`() throws {
        guard Place.hasIPv6 else { try Test.cancel("no IPv6 here") }
        let daemon = try TestDaemon(listen: "[::1]:0")
        #expect(try ask(.ipv6(daemon.port)) == 200)
        #expect(throws: Trouble.self) { _ = try ask(.ipv4(daemon.port)) }
        _ = try eventually("the second address") { daemon.log.contains("address=[::1]:\(daemon.port)") ? true : nil }
    }

    @Test func `a port without an address serves both families`() throws {
        let daemon = try TestDaemon(["SERVER_PUBLIC_URL": ""], listen: ":0")
        #expect(try ask(.ipv4(daemon.port)) == 200)
        #expect(daemon.log.contains("url=http://localhost:\(daemon.port)"))
        guard Place.hasIPv6 else { return }
        #expect(try ask(.ipv6(daemon.port)) == 200)
        let health = try Program.run(["health", "--url", "http://[::1]:\(daemon.port)"], in: daemon.folder)
        #expect(health.isSuccess, "\(health.errors)")
    }

    @Test func `a local socket is served and removed at the end`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("shorty.sock")
        let daemon = try TestDaemon(listen: "unix:\(path)", folder: folder)
        #expect(try ask(.local(path)) == 200)
        func curl(_ words: String...) throws -> Outcome {
            try Program.run(tool: "curl", ["-sS", "--max-time", "20", "--unix-socket", path] + words, in: folder)
        }
        let added = try curl(
            "http://s.test/api-add", "-d", "key=my_key", "-d", "url_slug=s", "-d", "url=https://example.com/")
        #expect(added.output == #"{"Status":"SUCCESS"}"#)
        #expect(try curl("-w", "%{http_code} %{redirect_url}", "http://s.test/s").output == "302 https://example.com/")
        #expect(try Program.run(["health", "--url", "unix:\(path)"], in: folder).isSuccess)
        let second = try Program.run(
            ["serve", "--listen", "unix:\(path)", "--database", folder.file("other.db")], in: folder)
        #expect(second.ending == .exit(1))
        #expect(second.errors.contains(path))
        // Killed, it leaves the name behind; the next start takes it over.
        try daemon.stop(SIGKILL)
        #expect(FileManager.default.fileExists(atPath: path))
        try daemon.start()
        #expect(try ask(.local(path)) == 200)
        try daemon.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a file that is no socket is left alone`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("precious", to: "precious.txt")
        let outcome = try Program.run(["serve", "--listen", "unix:\(file)", "--database", folder.file("s.db")], in: folder)
        #expect(outcome.ending == .exit(1))
        #expect(outcome.errors.contains(file))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    }

    @Test func `a taken port ends in one line that names it`() throws {
        let daemon = try TestDaemon()
        let address = "127.0.0.1:\(daemon.port)"
        let second = try Program.run(
            ["serve", "--listen", address, "--database", daemon.folder.file("other.db")], in: daemon.folder)
        #expect(second.ending == .exit(1))
        #expect(second.output.isEmpty)
        #expect(second.errors.split(separator: "\n").count == 1)
        #expect(second.errors.contains(address))
        #expect(!FileManager.default.fileExists(atPath: daemon.folder.file("other.db")))
    }

    @Test func `several addresses are served by one daemon`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("shorty.sock")
        let other = Place.hasIPv6 ? "[::1]:0" : "127.0.0.2:0"
        let daemon = try TestDaemon(arguments: ["--listen", "unix:\(path)", "--listen", other], folder: folder)
        #expect(try ask(.ipv4(daemon.port)) == 200)
        #expect(try ask(.local(path)) == 200)
        #expect(
            try eventually("all lines") { daemon.log.components(separatedBy: "listening address=").count == 4 ? true : nil }
        )
    }

    @Test func `what a foreign or newer file holds is left untouched`() throws {
        let folder = try TemporaryFolder()
        let foreign = folder.file("foreign.db")
        _ = try Program.run(tool: "sqlite3", [foreign, "CREATE TABLE t(a); INSERT INTO t VALUES (1)"], in: folder)
        let text = try folder.write(String(repeating: "no database at all\n", count: 100), to: "text.db")
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        for file in [foreign, text, inner] {
            let before = FileManager.default.contents(atPath: file)
            let outcome = try Program.run(["serve", "--listen", "127.0.0.1:0", "--database", file], in: folder)
            #expect(outcome.ending == .exit(1))
            #expect(outcome.errors.contains(file))
            #expect(FileManager.default.contents(atPath: file) == before)
        }
        let missing = folder.file("no/such/folder/s.db")
        let outcome = try Program.run(["serve", "--listen", "127.0.0.1:0", "--database", missing], in: folder)
        #expect(outcome.ending == .exit(1))
        #expect(outcome.errors.contains(missing) || outcome.errors.contains(folder.file("no/such/folder")))
    }
}
