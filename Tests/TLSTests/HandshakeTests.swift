import COpenSSL
import SocketClient
import Testing

@testable import HTTP

/// How a TLS connection begins, and how it does not.
struct HandshakeTests {
    @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func `both versions are spoken, for HTTP/1.1`(version: Int32, name: String) async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port, .init(versions: version...version))
            #expect(client.version == name && client.chosenProtocol == "http/1.1" && client.hasCertificate)
            #expect(try client.ask(get("/")).text == "secure ")
            #expect(try client.ask(get("/r"))["location"] == "https://example.com/there")
        }
    }

    @Test func `a minimum of 1.3 shuts 1.2 out, by an alert`() async throws {
        try await offThread {
            let server = try SecureServer(minimumVersion: .tls13)
            #expect(try SecureClient.open(server.port).version == "TLSv1.3")
            let fault = #expect(throws: TestFault.self) {
                try SecureClient.open(server.port, .init(versions: TLS1_2_VERSION...TLS1_2_VERSION))
            }
            #expect(fault?.description.contains("alert protocol version") == true)
        }
    }

    @Test func `each host gets its certificate, an unknown one and none the first`() async throws {
        try await offThread {
            let authority = try TestAuthority.shared.get()
            let first = try authority.issue()
            let second = try authority.issue(.init(names: ["other.example", "*.other.example"]))
            let server = try SecureServer([first, second])
            let serial = { (name: String?) in
                var wish = SecureClient.Wish(name: name)
                wish.verifies = false
                return try SecureClient.open(server.port, wish).serial
            }
            let (one, other) = (try serial("s.example"), try serial("other.example"))
            #expect(one != other)
            for name in ["www.other.example", "OTHER.example"] { #expect(try serial(name) == other, "\(name)") }
            for name in ["www.s.example", "a.b.other.example", "unknown.example", nil] {
                #expect(try serial(name) == one, "\(name ?? "none")")
            }
            // Both are good for who names them.
            #expect(try SecureClient.open(server.port, .init(name: "www.other.example")).hasCertificate)
        }
    }

    @Test func `a client of other protocols is refused, one without any is not`() async throws {
        try await offThread {
            let server = try SecureServer()
            let fault = #expect(throws: TestFault.self) { try SecureClient.open(server.port, .init(protocols: ["h2"])) }
            #expect(fault?.description.contains("no application protocol") == true)
            #expect(try SecureClient.open(server.port, .init(protocols: ["h2", "http/1.1"])).chosenProtocol == "http/1.1")
            #expect(try SecureClient.open(server.port, .init(protocols: [])).ask(get("/")).status == 200)
        }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a session is resumed by every loop, and gives no early data`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer(loops: 3)
            let client = try SecureClient.open(server.port, .init(versions: version...version))
            _ = try client.ask(get("/"))
            #expect(!client.isResumed)
            let session = try #require(client.session)
            #expect(session.earlyData == 0)
            // New connections go to the loop with the fewest, so these are spread over all three.
            var kept: [SecureClient] = []
            for _ in 0..<6 {
                let next = try SecureClient.open(server.port, .init(versions: version...version, session: session))
                #expect(next.isResumed)
                #expect(try next.ask(get("/")).status == 200)
                kept.append(next)
            }
        }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a handshake that comes byte by byte succeeds`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient(port: server.port, .init(versions: version...version))
            try client.handshake(by: 1, pause: 200)
            try client.say(get("/"))
            try client.carry(by: 1, pause: 200)
            #expect(try client.reply().text == "secure ")
        }
    }

    @Test func `a client that says nothing, half a hello or a byte now and then is closed in time`() async throws {
        var limits = Limits()
        limits.headTime = .seconds(1)
        let (server, hello) = try await offThread { [limits] in
            let server = try SecureServer(limits: limits)
            let client = try SecureClient(port: server.port)
            _ = try? client.handshake(by: 0)
            return (server, client.takeSaid())
        }
        try #require(hello.count > 100)
        let silent = try SocketClient(port: server.port)
        let half = try SocketClient(port: server.port)
        let dripping = try SocketClient(port: server.port)
        let begin = ContinuousClock.now
        await half.send(Array(hello[..<100]))
        for byte in hello[..<40] where await dripping.send([byte]) { try await Task.sleep(for: .milliseconds(50)) }
        for client in [silent, half, dripping] { #expect(await client.ending() != .open) }
        let time = ContinuousClock.now - begin
        #expect(time > .milliseconds(900) && time < .seconds(8), "\(time)")
        // An open connection without a request is not kept for longer either.
        let idle = try await offThread {
            let client = try SecureClient.open(server.port)
            return try client.readToEnd()
        }
        #expect(idle.isClean && idle.rest.isEmpty)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: s.example\r\n\r\n", "OPTIONS * HTTP/1.1\r\n\r\n",
        "POST /api-add HTTP/1.1\r\nHost: x\r\n\r\nkey=1",
        "get / http/1.0\r\n\r\n",
    ])
    func `a plain request at the secure port gets a plain answer that says so`(request: String) async throws {
        let server = try await offThread { try SecureServer(strictTransport: "max-age=300") }
        let client = try SocketClient(port: server.port)
        let reply = try await client.ask(request)
        #expect(reply.status == 400 && reply.text.contains("HTTPS") && reply["connection"] == "close")
        #expect(reply["strict-transport-security"] == nil)
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `a hello at the plain port gets a 400`() async throws {
        let (server, hello) = try await offThread {
            let server = try SecureServer()
            let client = try SecureClient(port: server.port)
            _ = try? client.handshake(by: 0)
            return (server, client.takeSaid())
        }
        let client = try SocketClient(port: server.plainPort)
        await client.send(hello)
        #expect(try await client.reply().status == 400)
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `bytes that are nothing end the connection, whatever they are`() async throws {
        let server = try await offThread { try SecureServer() }
        for first in 0...255 where !(0x41...0x5A).contains(first & ~0x20) {
            let client = try SocketClient(port: server.port)
            // A record of a length that is there, so that none is waited for.
            await client.send([UInt8(first), 3, 3, 0, 4] + [UInt8](repeating: UInt8(first), count: 400))
            #expect(await client.ending(within: 5_000) != .open, "first byte \(first)")
        }
        #expect(try await offThread { try SecureClient.open(server.port).ask(get("/")).status } == 200)
    }

    @Test func `a renegotiation is refused`() async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port, .init(versions: TLS1_2_VERSION...TLS1_2_VERSION))
            #expect(try client.ask(get("/")).status == 200)
            let fault = #expect(throws: TestFault.self) {
                try client.renegotiate()
                _ = try client.reply()
            }
            #expect(fault?.description.contains("no renegotiation") == true)
        }
    }
}
