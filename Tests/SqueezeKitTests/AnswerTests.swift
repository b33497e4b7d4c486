// What the client makes of what comes back.
import Foundation
import SqueezeKit
import Testing

struct AnswerTests {
    private func error(for reply: WireServer.Reply, timeout: Duration = .seconds(10)) async throws -> SqueezeError? {
        let server = try WireServer { _ in reply }
        return await #expect(throws: SqueezeError.self) {
            try await squeezer(server.address, timeout: timeout).shortenURL(longURL: "http://a.example")
        }
    }

    @Test(arguments: ["http://s.test/ab\n", " http://s.test/ab\r\n", "http://s.test/ab"])
    func `blanks around the short URL are left off`(body: String) async throws {
        let server = try WireServer { _ in .answer(200, body) }
        let short = try await squeezer(server.address).shortenURL(longURL: "http://a.example")
        #expect(short.absoluteString == "http://s.test/ab")
    }

    @Test(arguments: [
        "", "\n", "ab", "/ab", "//s.test/ab", "ftp://s.test/ab", "http:///ab", "http://s.test/a b",
        "http://s.test/a\nhttp://s.test/b",
        "http://s.test/é", "http://s.test/<b>", "<html>http://s.test/ab</html>", "\"http://s.test/ab\"",
        "ERROR 403: unknown key",
    ])
    func `a body that is not one web URL to the letter is unexpected`(body: String) async throws {
        #expect(try await error(for: .answer(200, body)) == .unexpectedAnswer(status: 200))
    }

    @Test func `403 with the dialect's text is an unknown key`() async throws {
        #expect(try await error(for: .answer(403, "ERROR 403: unknown account key")) == .unknownKey)
    }

    @Test func `400 carries the server's reason`() async throws {
        let error = try await error(for: .answer(400, "ERROR 400: the long URL names no host."))
        #expect(error == .refused(message: "the long URL names no host"))
    }

    @Test func `the server's reason is cut, cleaned and never shows the key`() async throws {
        let reason = "ERROR 429: wait, \(key.uppercased())\u{1b}[31m" + String(repeating: "x", count: 500)
        guard case .refused(let message) = try await error(for: .answer(429, reason)) else {
            return #expect(Bool(false), "not refused")
        }
        #expect(message.hasPrefix("wait, (account key)\u{fffd}[31mxxx"))
        #expect(message.unicodeScalars.count == 253)
    }

    @Test(arguments: [400, 403, 404, 500, 503])
    func `an error without the dialect's text is unexpected`(status: Int) async throws {
        #expect(try await error(for: .answer(status, "<html>no</html>")) == .unexpectedAnswer(status: status))
    }

    @Test func `the server's own trouble is no refusal`() async throws {
        let error = try await error(for: .answer(503, "ERROR 503: the store is busy"))
        #expect(error == .unexpectedAnswer(status: 503))
        #expect(error?.localizedDescription.contains("try again later") == true)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is not followed, and only its address is told`(status: Int) async throws {
        let other = try WireServer { _ in .answer(200, "http://evil.test/ab") }
        let target = "\(other.address)/Squeeze.svc/text/\(key)?url=x"
        let error = try await error(
            for: .bytes("HTTP/1.1 \(status) X\r\nLocation: \(target)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
        #expect(error == .redirected(to: other.address))
        #expect(other.connections == 0)
    }

    @Test func `a redirect without a target is unexpected`() async throws {
        #expect(
            try await error(for: .bytes("HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n")) == .unexpectedAnswer(status: 302))
    }

    @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer"])
    func `a challenge is not answered`(challenge: String) async throws {
        let server = try WireServer { _ in
            .bytes("HTTP/1.1 401 X\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nno")
        }
        let error = await #expect(throws: SqueezeError.self) {
            try await squeezer(server.address).shortenURL(longURL: "http://a.example")
        }
        #expect(error == .unexpectedAnswer(status: 401))
        #expect(server.requests.count == 1)
    }

    @Test func `an answer of more than 8 KiB is cut off`() async throws {
        let server = try WireServer { _ in
            .answer(200, "http://s.test/" + String(repeating: "a", count: 50_000_000))
        }
        let error = await #expect(throws: SqueezeError.self) {
            try await squeezer(server.address, timeout: .seconds(60)).shortenURL(longURL: "http://a.example")
        }
        #expect(error == .unexpectedAnswer(status: 200))
        #expect(try await server.waitForHangUps(1))
    }

    @Test func `an answer cut short by the server is no short URL`() async throws {
        let error = try await error(for: .bytes("HTTP/1.1 200 X\r\nContent-Length: 16\r\n\r\nhttp://s.test/a"))
        guard case .unreachable = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func `a port that nobody listens on counts as unreachable, with its address`() async throws {
        var server: WireServer? = try WireServer { _ in .silence }
        let address = try #require(server?.address)
        server = nil
        let error = await #expect(throws: SqueezeError.self) {
            try await squeezer(address).shortenURL(longURL: "http://a.example")
        }
        #expect(error == .unreachable(server: address, reason: "nothing answers there"))
    }

    @Test(arguments: ["", "SSH-2.0-OpenSSH_9.2\r\n", "http://s.test/ab"])
    func `nothing at all and bytes that are not HTTP are no short URL`(bytes: String) async throws {
        #expect(try await error(for: .bytes(bytes)) == .unexpectedAnswer(status: nil))
    }

    @Test func `no error's text holds the key`() async throws {
        for reply in [WireServer.Reply.answer(400, "ERROR 400: \(key)"), .answer(200, key), .bytes(""), .bytes(key)] {
            let error = try #require(try await error(for: reply))
            #expect(!"\(error) \(error.localizedDescription) \(String(reflecting: error))".contains(key))
        }
    }
}
