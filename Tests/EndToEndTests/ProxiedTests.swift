// Clients behind a trusted proxy: who is counted, braked and logged.
internal import Foundation
internal import Testing

@Suite(.atTheBench) struct ProxiedTests {
    private func wrongKey(_ daemon: TestDaemon, from client: String, _ key: String = "wrong") throws -> Int {
        try daemon.ask(
            "POST", "/api-add", ["X-Forwarded-For: \(client)"],
            body: Array("key=\(key)&url=https://example.com/&url_slug=\(UUID().uuidString)".utf8)
        ).status
    }

    @Test func `wrong keys brake the client behind the proxy and nobody else behind it`() throws {
        let daemon = try TestDaemon(["SERVER_TRUSTED_PROXIES": "127.0.0.1"])
        _ = try daemon.add("s", "https://example.com/")
        let statuses = try (0..<30).map { try wrongKey(daemon, from: "192.0.2.1", "wrong\($0)") }
        #expect(statuses == Array(repeating: 403, count: 10) + Array(repeating: 429, count: 20))
        // What stands left of the proxy's word is the client's own.
        #expect(try wrongKey(daemon, from: "203.0.113.9, 192.0.2.1") == 429)
        #expect(try wrongKey(daemon, from: "192.0.2.2") == 403)
        #expect(try wrongKey(daemon, from: "192.0.2.2", TestDaemon.key) == 201)
        #expect(try wrongKey(daemon, from: "192.0.2.1", TestDaemon.key) == 201)
        for _ in 0..<30 { #expect(try daemon.get("/s", ["X-Forwarded-For: 192.0.2.1"]).status == 302) }
    }

    @Test func `every way to write an address is one client, and every visit counts`() throws {
        let daemon = try TestDaemon(
            ["SERVER_TRUSTED_PROXIES": "127.0.0.1,::1", "LOG_ACCESS": "true", "LIMITS_WRONG_KEYS": "2"], listen: ":0")
        _ = try daemon.add("s", "https://example.com/")
        let clients = [
            ("2001:db8:85a3::8a2e:370:7334", "2001:db8:85a3::8a2e:370:7334"),
            ("2001:DB8:85A3:0:0:8a2e:370:7334", "2001:db8:85a3::8a2e:370:7334"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("192.0.2.1", "192.0.2.1"), ("fe80::1%eth0", "fe80::1"), ("[2001:db8::5]:4711", "2001:db8::5"),
        ]
        for (written, _) in clients { #expect(try daemon.get("/s", ["X-Forwarded-For: \(written)"]).status == 302) }
        #expect(try daemon.get("/s").status == 302)
        var visits = clients.count + 1
        if Place.hasIPv6 {
            let wire = try Wire(.ipv6(daemon.port))
            try wire.send("GET /s HTTP/1.1\r\nHost: s.test\r\n\r\n")
            #expect(try wire.reply().status == 302)
            visits += 1
        }
        #expect(try wrongKey(daemon, from: "2001:db8:85a3::8a2e:370:7334") == 403)
        #expect(try wrongKey(daemon, from: "2001:DB8:85A3:0:0:8a2e:370:7334") == 403)
        #expect(try wrongKey(daemon, from: "2001:0db8:85a3::8a2e:0370:7334") == 429)
        #expect(try wrongKey(daemon, from: "::ffff:192.0.2.1") == 403)
        #expect(try wrongKey(daemon, from: "192.0.2.1") == 403)
        #expect(try wrongKey(daemon, from: "::FFFF:C000:201") == 429)
        try daemon.stop()
        let lines = daemon.log.split(separator: "\n").filter { $0.contains("target=/s ") }
        for (written, text) in clients {
            let wanted = clients.count { $0.1 == text }
            #expect(
                lines.count { $0.contains("client=\(text) ") || $0.hasSuffix("client=\(text)") } == wanted, "\(written)")
        }
        #expect(lines.count == visits)
        #expect(try daemon.visits("s") == visits)
    }
}
