// What the clients of X.co send, byte for byte, and what they must get.
import Foundation
import SQLiteStore
import Testing

@Suite struct SqueezeDialectTests {
    /// What stands behind `?url=`, and where the short URL must lead.
    struct Encoding: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let client: Client
        let sent: String
        let longURL: String

        init(_ description: String, _ client: Client, _ sent: String, _ longURL: String) {
            (testDescription, self.client, self.sent, self.longURL) = (description, client, sent, longURL)
        }
    }

    static let encodings = [
        Encoding("nothing to escape", .phone, "http://www.apple.com/", "http://www.apple.com/"),
        Encoding(
            "query raw, fragment escaped", .phone, "http://example.com/a?x=1&y=2%23frag",
            "http://example.com/a?x=1&y=2#frag"),
        Encoding(
            "wholly escaped", .linuxSession, "http%3A%2F%2Fexample.com%2Fa%3Fx%3D1%26y%3D2%23frag",
            "http://example.com/a?x=1&y=2#frag"),
        Encoding(
            "only = & # escaped", .linuxSession, "http://example.com/a?x%3D1%26y%3D2%23frag",
            "http://example.com/a?x=1&y=2#frag"),
        Encoding("a space escaped twice", .phone, "http://example.com/a%2520b", "http://example.com/a%20b"),
        Encoding(
            "a snowman escaped twice", .phone, "http://example.com/%25E2%2598%2583", "http://example.com/%E2%98%83"),
        Encoding("a plus raw", .phone, "http://example.com/s?q=a+b&c=50%2525", "http://example.com/s?q=a+b&c=50%25"),
        Encoding(
            "a plus escaped", .linuxSession, "http%3A%2F%2Fexample.com%2Fs%3Fq%3Da%2Bb", "http://example.com/s?q=a+b"),
        Encoding(
            "a space as a form's plus", .linuxSession, "http%3A%2F%2Fexample.com%2Fa+b%3Fc+d",
            "http://example.com/a%20b?c%20d"),
        Encoding(
            "a url= inside", .phone, "http://example.com/?url=http://b.example/",
            "http://example.com/?url=http://b.example/"),
        Encoding("a second ?", .phone, "http://example.com/a?b?c=1", "http://example.com/a?b?c=1"),
        Encoding("nothing escaped", .linuxSession, "http://example.com/c%20d", "http://example.com/c%20d"),
        Encoding("an address in brackets", .phone, "http://%5B2001:db8::1%5D:8080/x", "http://[2001:db8::1]:8080/x"),
        Encoding(
            "an optional printed", .linuxSession, "Optional(%22http://example.com/o?x=1&y=2%22)",
            "http://example.com/o?x=1&y=2"),
        Encoding("a line break inside", .linuxSession, "http://example.com/a%0d%0ab", "http://example.com/a%0D%0Ab"),
        Encoding("no scheme", .phone, "www.example.com/a?b=c", "http://www.example.com/a?b=c"),
        Encoding(
            "all characters that may stay raw", .phone, "http://example.com/!$&'()*+,-.:;=?@_~/",
            "http://example.com/!$&'()*+,-.:;=?@_~/"),
    ]

    @Test func `however a long URL is escaped, the short one leads to it`() throws {
        let service = try LiveService()
        for encoding in Self.encodings {
            let reply = try service.squeeze(encoding.sent, encoding.client)
            #expect(reply.status == 200, "\(encoding.testDescription): \(reply.text)")
            #expect(try Regex("http://s\\.test/[A-Za-z0-9_-]+").wholeMatch(in: reply.text) != nil, "\(reply.text)")
            let destination = try service.destination(of: reply.text)
            #expect(destination == encoding.longURL, "\(encoding.testDescription)")
        }
    }

    @Test func `the answer is the short URL and not a byte more`() throws {
        let service = try LiveService()
        let reply = try service.squeeze("http://www.apple.com/", .phone)
        #expect(reply.status == 200)
        #expect(reply.fields["content-type"] == "text/plain; charset=utf-8")
        #expect(reply.fields["content-length"] == String(reply.body.count))
        #expect(reply.fields["cache-control"] == "no-store")
        #expect(reply.body.count == "http://s.test/".utf8.count + 6)
        #expect(reply.body.allSatisfy { (0x21...0x7e).contains($0) })
    }

    @Test func `the other form is the same URL as one JSON string`() throws {
        let service = try LiveService()
        let text = try service.squeeze("http://www.apple.com/").text
        let reply = try service.get("/Squeeze.svc/\(LiveService.key)?url=http%3A%2F%2Fwww.apple.com%2F")
        #expect(reply.status == 200)
        #expect(reply.fields["content-type"] == "application/json")
        #expect(reply.text == "\"\(text)\"")
    }

    @Test(arguments: [
        "/squeeze.svc/Text/0123456789abcdef0123456789abcdef", "/SQUEEZE.SVC/TEXT/0123456789ABCDEF0123456789ABCDEF",
        "http://api.x.co/Squeeze.svc/text/0123456789abcdef0123456789abcdef",
        "/%53queeze.svc/text/%30123456789abcdef0123456789abcdef", "/Squeeze.svc/text/0123456789abcdef0123456789abcdef/",
    ])
    func `path and key in any spelling are the same request`(target: String) throws {
        let service = try LiveService()
        let usual = try service.squeeze("http://www.apple.com/").text
        let reply = try service.get(target + "?url=http://www.apple.com/", .phone)
        #expect(reply.text == usual)
    }

    @Test func `HEAD must not store, so it is refused`() throws {
        let service = try LiveService()
        for path in ["text/\(LiveService.key)", LiveService.key] {
            let reply = try service.send(Client.phone.request("HEAD", "/Squeeze.svc/\(path)?url=http://www.apple.com/"))
            #expect(reply.status == 405)
            #expect(reply.fields["allow"] == "GET, OPTIONS")
        }
        #expect(try service.report().isEmpty)
        #expect(try service.send(Client.phone.request("HEAD", "/Reporting.svc/maps/\(LiveService.key)")).status == 200)
    }

    // MARK: Refusals

    private func expectRefusal(_ reply: Reply, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(reply.status == status, sourceLocation: sourceLocation)
        #expect(reply.text.hasPrefix("ERROR \(status): "), "\(reply.text)", sourceLocation: sourceLocation)
        #expect(reply.fields["content-type"] == "text/plain; charset=utf-8", sourceLocation: sourceLocation)
        #expect(reply.fields["www-authenticate"] == nil, sourceLocation: sourceLocation)
        #expect(reply.fields["location"] == nil, sourceLocation: sourceLocation)
        #expect(reply.fields["cache-control"] == "no-store", sourceLocation: sourceLocation)
        // A client that shows or opens whatever comes must not take it for a URL.
        #expect(URL(string: reply.text, encodingInvalidCharacters: true) == nil, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "/Squeeze.svc/text/KEY?url=http://www.apple.com/", "/Squeeze.svc/KEY?url=http://www.apple.com/",
        "/Reporting.svc/maps/KEY",
    ])
    func `an unknown key is refused as text, never with a challenge`(target: String) throws {
        let service = try LiveService()
        for key in [String(repeating: "f", count: 32), "my_key", String(LiveService.key.dropLast())] {
            let reply = try service.get(target.replacingOccurrences(of: "KEY", with: key), .phone)
            expectRefusal(reply, 403)
            #expect(reply.text == "ERROR 403: unknown account key")
        }
    }

    @Test(arguments: [
        "u=http://www.apple.com/", "", "url=", "url=%20", "url=javascript:alert(1)", "url=ftp://example.com/",
        "url=http://",
        "url=example", "url=//example.com/", "url=user@example.com", "url=http://example.com:99999/",
        "url=http://example.com/" + String(repeating: "a", count: 500),
    ])
    func `a missing or refused long URL is 400`(query: String) throws {
        let service = try LiveService()
        expectRefusal(try service.get("/Squeeze.svc/text/\(LiveService.key)?\(query)", .phone), 400)
        expectRefusal(try service.get("/Squeeze.svc/\(LiveService.key)?\(query)", .phone), 400)
        #expect(try service.report().isEmpty)
    }

    @Test func `wrong keys are braked, a right one is not`() throws {
        let service = try LiveService(wrongKeys: 3)
        for _ in 0..<3 { expectRefusal(try service.squeeze("http://a.example/", key: "wrong"), 403) }
        let braked = try service.squeeze("http://a.example/", key: "wrong")
        expectRefusal(braked, 429)
        #expect(braked.fields["retry-after"].flatMap { Int($0) } ?? 0 > 0)
        #expect(try service.squeeze("http://a.example/").status == 200)
    }

    @Test func `a store that cannot answer is 503`() throws {
        let service = try LiveService()
        _ = try service.squeeze("http://a.example/")
        service.store.close()
        for target in [
            "Squeeze.svc/text/\(LiveService.key)?url=http://a.example/", "Reporting.svc/maps/\(LiveService.key)",
        ] {
            let reply = try service.get("/" + target)
            expectRefusal(reply, 503)
            #expect(reply.fields["retry-after"] != nil)
        }
    }
}
