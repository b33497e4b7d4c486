// Long URLs over the wire: what goes in by every way, and the Location that comes out, byte by byte.
internal import Foundation
internal import Testing

/// The ways of adding a link.
enum WayIn: CaseIterable, Sendable {
    case json, form, link

    /// Adds; true where it was stored. Fails where the answer is neither that nor a refusal in the dialect's form.
    func add(_ slug: String, _ url: String, to daemon: TestDaemon) throws -> Bool {
        switch self {
        case .json: try isStored(daemon.add(slug, url))
        case .form: try isStored(daemon.post(form: "key=my_key&url_slug=\(slug)&url=\(Self.escaped(url))"))
        case .link:
            switch try daemon.get("/add/my_key/\(slug)?url=\(Self.escaped(url))").status {
            case 200: true
            case 400: false
            case let status: throw Trouble("the answer to \(url) is \(status)")
            }
        }
    }

    private func isStored(_ reply: Reply) throws -> Bool {
        guard reply.status == 201, reply.outcome == "SUCCESS" || reply.outcome == "FAILURE" else {
            throw Trouble("\(reply.status) \(reply.text)")
        }
        return reply.outcome == "SUCCESS"
    }

    /// As encodeURIComponent does.
    static func escaped(_ text: String) -> String {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!'()*".utf8)
        return text.utf8.map { byte in
            kept.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

@Suite(.atTheBench) struct LongURLTests {
    static let kept = [
        "https://example.com/?red+42", "https://example.com/2+2_(x)?q=2+2%2B2", "https://example.com/bad%20space/",
        "https://example.com/v1?q=%27%25adler%25%27",
        "https://example.com/r?u=https%3A%2F%2Fexample.org%2F%3Fq%3Da%2520b%26x%3D1%23f&k=1",
        "https://xn--bcher-kva.example/", "http://[2001:db8::1]:8080/x", "http://127.0.0.1:2342/", "http://localhost:8000/",
        "http://intranet/", "https://name.inc/", "https://example.com/?a=1&para=2&copy=3&amp=4",
        "https://example.com/test", "https://example.com/TeSt", "https://example.com/%c3%a9", "https://example.com/#a?b#",
    ]

    static let changed = [
        "https://example.com/a%20b c": "https://example.com/a%20b%20c",
        "https://bücher.example/": "https://xn--bcher-kva.example/",
        "https://BÜCHER.example/": "https://xn--bcher-kva.example/", "https:///path": "https://path/",
        " https://example.com/ ": "https://example.com/", "https://example.com/\n": "https://example.com/",
        "https://example.com/a b?c d": "https://example.com/a%20b?c%20d",
        "https:\\\\evil.example\\x": "https://evil.example/x",
    ]

    static let refused = [
        "http://[::1/x", "http://example.com:99999/", "http://exa mple.com/", "example.com/a", "http://", "//example.com/x",
        "/admin", "?x=1", "", " ", "https://?x", "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)",
        "java\tscript:alert(1)", "\u{1}javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
        "blob:https://example.com/x", "\\\\evil.example", "/\\evil.example", "ftp://example.com/x", "http://s.test/x",
        "http://S.TEST:80/x",
    ]

    @Test(arguments: WayIn.allCases) func `a well-formed URL comes out as it went in`(_ way: WayIn) throws {
        let daemon = try TestDaemon()
        for (index, url) in Self.kept.enumerated() {
            #expect(try way.add("s\(index)", url, to: daemon), "\(url)")
            // From the store, from the cache, and after a restart below.
            for _ in 0..<2 { #expect(try daemon.get("/s\(index)").all("Location") == [url]) }
        }
        try daemon.stop()
        try daemon.start()
        for (index, url) in Self.kept.enumerated() { #expect(try daemon.get("/s\(index)").all("Location") == [url]) }
    }

    @Test(arguments: WayIn.allCases) func `any other URL is read as browsers read it`(_ way: WayIn) throws {
        let daemon = try TestDaemon()
        for (index, (url, expected)) in Self.changed.enumerated() {
            // A backslash or a blank in the ?url= of a GET is percent-encoded before it is looked at.
            if way == .link, url.contains("\\") { continue }
            #expect(try way.add("s\(index)", url, to: daemon), "\(url)")
            #expect(try daemon.get("/s\(index)").all("Location") == [expected])
        }
    }

    @Test(arguments: WayIn.allCases) func `what no browser would open is refused`(_ way: WayIn) throws {
        let daemon = try TestDaemon()
        for url in Self.refused {
            #expect(try !way.add("s", url, to: daemon), "\(url)")
            #expect(try daemon.get("/s").status == 404, "\(url)")
        }
    }

    @Test func `line breaks forge no field`() throws {
        let daemon = try TestDaemon()
        let breaks = ["\\r\\n", "\\n", "\\r", "\\u0085", "\\u2028"]
        for (index, lineBreak) in breaks.enumerated() {
            let body = #"{"key":"my_key","url_slug":"j\#(index)","url":"https://example.com/\#(lineBreak)X-Test: 1"}"#
            #expect(try daemon.post(json: body).outcome == "SUCCESS")
            let reply = try daemon.get("/j\(index)")
            #expect(reply.all("Location").count == 1)
            #expect(reply["X-Test"] == nil)
            if index < 3 { #expect(reply.location == "https://example.com/X-Test:%201") }
        }
        let url = "https%3A%2F%2Fexample.com%2F%0D%0AX-Test%3A%201"
        #expect(try daemon.post(form: "key=my_key&url_slug=f&url=\(url)").outcome == "SUCCESS")
        #expect(try daemon.get("/f").location == "https://example.com/X-Test:%201")
        #expect(try daemon.get("/add/my_key/g?url=\(url)").status == 200)
        let reply = try daemon.get("/g")
        #expect(reply.all("Location").count == 1)
        #expect(reply["X-Test"] == nil)
    }

    @Test func `the limit of URLs is a setting and told where it is passed`() throws {
        let daemon = try TestDaemon(["LIMITS_URL": "8000"])
        for length in [512, 513, 2_083, 3_500, 8_000] {
            let url = "https://example.com/" + String(repeating: "u", count: length - 20)
            for way in WayIn.allCases {
                let slug = "s\(length)\(way)"
                #expect(try way.add(slug, url, to: daemon))
                #expect(try daemon.get("/" + slug).location == url)
            }
        }
        for length in [8_001, 1_000_000] {
            let reply = try daemon.add("s", "https://example.com/" + String(repeating: "u", count: length - 20))
            #expect(reply.status == 201)
            #expect(reply.outcome == "FAILURE")
            #expect(reply.json?["Message"]?.contains("8000") == true)
        }
        #expect(try daemon.get("/s").status == 404)
    }
}
