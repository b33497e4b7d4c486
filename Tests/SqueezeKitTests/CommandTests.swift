// The command `squeeze`, run as a process.
import Foundation
import Testing

struct CommandTests {
    /// Answers with the number of the long URL's last part; `/bad` is refused.
    private func numbering() throws -> WireServer {
        try WireServer { head in
            let name = longURL(inRequest: head)?.split(separator: "/").last ?? ""
            return name == "bad" ? .answer(400, "ERROR 400: no such host") : .answer(200, "http://s.test/\(name)")
        }
    }

    private func environment(_ server: WireServer, path: String = "") -> [String: String] {
        ["SQUEEZE_SERVER": server.address, "SQUEEZE_KEY": key, "PATH": path]
    }

    @Test func `prints the short URL alone`() async throws {
        let server = try numbering()
        let run = try await SqueezeProcess.run(["http://a.example/x?1&2#/3", "--server", server.address, "--key=\(key)"])
        #expect(run.output == "http://s.test/3\n")
        #expect(run.errors.isEmpty)
        #expect(run.status == 0)
        #expect(server.requests.map(longURL(inRequest:)) == ["http://a.example/x?1&2#/3"])
        #expect(server.requests.first?.hasPrefix("GET /Squeeze.svc/text/\(key)?url=") == true)
    }

    @Test func `server and key may come from the environment, and options go before it`() async throws {
        let (server, other) = (try numbering(), try numbering())
        let run = try await SqueezeProcess.run(["http://a.example/1"], environment: environment(server))
        #expect(run.output == "http://s.test/1\n")
        _ = try await SqueezeProcess.run(
            ["--server=\(other.address)", "--key", "else", "http://a.example/2"], environment: environment(server))
        #expect(server.requests.count == 1)
        #expect(other.requests.first?.hasPrefix("GET /Squeeze.svc/text/else?") == true)
    }

    @Test(arguments: [true, false])
    func `the key may come from a file`(isOption: Bool) async throws {
        let (server, folder) = (try numbering(), try Folder())
        let file = try folder.write("\(key)\n", to: "key")
        let run = try await SqueezeProcess.run(
            ["http://a.example/1"] + (isOption ? ["--key-file", file] : []),
            environment: ["SQUEEZE_SERVER": server.address].merging(isOption ? [:] : ["SQUEEZE_KEY_FILE": file]) { $1 })
        #expect(run.output == "http://s.test/1\n")
        #expect(server.requests.first?.hasPrefix("GET /Squeeze.svc/text/\(key)?url=") == true)
    }

    @Test func `reads URLs from standard input, one a line, in their order`() async throws {
        let server = try numbering()
        let input = "http://a.example/1\r\n\n  http://a.example/2  \nhttp://a.example/3"
        let run = try await SqueezeProcess.run(["-"], environment: environment(server), input: Data(input.utf8))
        #expect(run.output == "http://s.test/1\nhttp://s.test/2\nhttp://s.test/3\n")
        #expect(run.errors.isEmpty)
        #expect(run.status == 0)
        #expect(server.requests.count == 3)
    }

    @Test func `a bad line is named and the others go on`() async throws {
        let server = try numbering()
        var input = Data("http://a.example/1\nhttp://a.example/bad\n".utf8)
        input += Data("http://a.example/".utf8) + [0xc3, 0x28, 0x0a]
        input += Data(("http://a.example/" + String(repeating: "x", count: 70_000) + "\nhttp://a.example/2\n").utf8)
        let run = try await SqueezeProcess.run(["-"], environment: environment(server), input: input)
        #expect(run.output == "http://s.test/1\nhttp://s.test/2\n")
        #expect(run.status == 1)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == "squeeze: line 2: http://a.example/bad: The server refused this: no such host.")
        #expect(lines.dropFirst().first?.hasPrefix("squeeze: line 3: not UTF-8") == true)
        #expect(lines.last?.hasPrefix("squeeze: line 4: longer than 65536 bytes") == true)
    }

    @Test func `an unknown key stops the lines that follow`() async throws {
        let server = try WireServer { _ in .answer(403, "ERROR 403: unknown account key") }
        let run = try await SqueezeProcess.run(
            ["-"], environment: environment(server), input: Data("a.example\nb.example\n".utf8))
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("squeeze: line 1: a.example: The server does not know this account key; "))
        #expect(server.requests.count == 1)
    }

    @Test func `errors never show the key, even where the URL holds it`() async throws {
        let server = try WireServer { _ in .answer(400, "ERROR 400: \(key) is no good") }
        let run = try await SqueezeProcess.run(["\(server.address)/\(key)"], environment: environment(server))
        #expect(run.status == 1)
        #expect(run.errors.contains("(account key)"))
        #expect(!run.errors.contains(key))
    }

    @Test func `nobody there ends in 1 with the server's address`() async throws {
        var server: WireServer? = try WireServer { _ in .silence }
        let address = try #require(server?.address)
        server = nil
        let run = try await SqueezeProcess.run(["http://a.example", "--server", address, "--key", key])
        #expect(run.status == 1)
        #expect(run.errors.contains("\(address) cannot be reached"))
    }

    @Test func `--timeout ends the waiting`() async throws {
        let server = try WireServer { _ in .silence }
        let run = try await SqueezeProcess.run(["http://a.example", "--timeout", "0.3"], environment: environment(server))
        #expect(run.status == 1)
        #expect(run.errors.contains("within 0.3 seconds"))
    }

    @Test(arguments: [
        [], ["http://a.example", "http://b.example"], ["--nonsense", "http://a.example"], ["http://a.example", "--server"],
        ["http://a.example", "--server", "s.example"], ["http://a.example", "--key", "a/b"],
        ["http://a.example", "--timeout", "0"],
        ["http://a.example", "--timeout", "nan"], ["http://a.example", "--key", "a", "--key-file", "b"],
        ["http://a.example", "--key-file", "/nonexistent"], ["http://a.example", "--key-file", "/dev/zero"],
        ["http://a.example", "--copy=x"], ["--", "-", "x"],
    ])
    func `a wrong command line ends in 2 and sends nothing`(arguments: [String]) async throws {
        let server = try numbering()
        let run = try await SqueezeProcess.run(arguments, environment: environment(server))
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("squeeze: "))
        #expect(run.errors.filter { $0 == "\n" }.count == 1)
        #expect(server.connections == 0)
    }

    @Test func `without server or key it ends in 2 and says what to set`() async throws {
        let noServer = try await SqueezeProcess.run(["http://a.example"], environment: ["SQUEEZE_KEY": key])
        #expect(noServer.status == 2)
        #expect(noServer.errors.contains("SQUEEZE_SERVER"))
        let noKey = try await SqueezeProcess.run(
            ["http://a.example"], environment: ["SQUEEZE_SERVER": "http://s.example", "SQUEEZE_KEY": ""])
        #expect(noKey.status == 2)
        #expect(noKey.errors.contains("SQUEEZE_KEY_FILE"))
    }

    @Test(arguments: ["--help", "-h"])
    func `--help is printed on standard output`(option: String) async throws {
        let run = try await SqueezeProcess.run([option])
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("usage: squeeze URL"))
        #expect(run.errors.isEmpty)
    }
}
