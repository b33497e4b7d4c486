import Testing

@testable import HTTP

/// The request line: RFC 9112 §3.
struct RequestLineTests {
    private func line(_ line: String, host: Bool = true) -> Parsed {
        parse(line + "\r\n" + (host ? "Host: a.example\r\n" : "") + "\r\n")
    }

    @Test(
        arguments: [
            ("GET", .get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch), ("DELETE", .delete),
            ("OPTIONS", .options), ("TRACE", .trace), ("get", .other), ("Get", .other), ("GETT", .other), ("GE", .other),
            ("BREW", .other), ("M-SEARCH", .other), ("!", .other),
        ] as [(String, HTTP.Method)])
    func `a method is known by its exact letters`(_ token: String, _ method: HTTP.Method) {
        #expect(line("\(token) / HTTP/1.1").head?.method == method)
    }

    @Test(
        arguments: [
            ("GET /abc HTTP/1.1", "/abc"), ("GET /abc?x=1 HTTP/1.1", "/abc"), ("GET / HTTP/1.1", "/"),
            ("GET /abcdefghij", "/abcdefghij"), ("GET /a%62c HTTP/1.1", "/a"), ("GET /ab", ""), ("HEAD /abc HTTP/1.1", ""),
            ("GET", ""), ("", ""), ("\0\0\0\0\0\0\0\0\0", ""), ("GET \r\n\r\n\r\n", ""),
        ])
    func `the path of a GET is seen before its head is read`(_ bytes: String, _ path: String) {
        #expect(String(decodingUTF8: RequestParser.glimpse(bytes.utf8Span.span)) == path)
    }

    @Test func `a known method says its own name`() {
        #expect(HTTP.Method.delete.name == "DELETE")
        #expect(HTTP.Method.get.name == "GET")
    }

    @Test func `every byte in a method is a token's or refused`() {
        for byte in UInt8.min...UInt8.max where byte != 0x20 {
            let bytes = [0x47, byte] + Array("T / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            #expect(parse(bytes) != .incomplete)
            #expect((parse(bytes).head != nil) == tokenBytes.contains(byte), "byte \(byte)")
            if !tokenBytes.contains(byte) { #expect(parse(bytes) == .fault(400), "byte \(byte)") }
        }
    }

    @Test func `every byte in a target is visible, or beyond ASCII, or refused`() {
        for byte in UInt8.min...UInt8.max {
            let bytes = Array("GET /a".utf8) + [byte] + Array("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            let isAllowed = byte > 0x20 && byte != 0x7f && byte != UInt8(ascii: "#")
            #expect((parse(bytes).head != nil) == isAllowed, "byte \(byte)")
            if !isAllowed { #expect(parse(bytes) == .fault(400), "byte \(byte)") }
        }
    }

    @Test(arguments: [
        " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1", "GET / HTTP/1.1 ",
        "GET / HTTP/1.1\t", "GET /", "GET", "GET / ", "GET HTTP/1.1", "/ HTTP/1.1", "GET / / HTTP/1.1", "GET/ HTTP/1.1", "",
        "\0GET / HTTP/1.1", "GET /\0 HTTP/1.1", "GET / HTTP/1.1\0", "(GET) / HTTP/1.1", "GET / HTTP/1.1\r",
        "GET /#top HTTP/1.1",
    ])
    func `what is not method, space, target, space, version is 400`(_ text: String) {
        // An empty first line is skipped, so what follows is read as the line.
        #expect(line(text) == .fault(400))
    }

    @Test(arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9", "HTTP/0.0", "HTTP/2.1"])
    func `another major version is 505`(_ version: String) { #expect(line("GET / \(version)") == .fault(505)) }

    @Test(arguments: [
        "http/1.1", "Http/1.1", "HTTP/1", "HTTP/11", "HTTP/1.", "HTTP/.1", "HTTP/1.10", "HTTP/01.1", "HTTP/1,1", "HTTP/a.1",
        "HTTP/1.a", "HTTP 1.1", "HTTPS/1.1", "HTTP/-1.1", "ICY/1.1", "HTTP/1.1.1", "HTTP//1.1", "1.1",
    ])
    func `what is no version is 400`(_ version: String) { #expect(line("GET / \(version)") == .fault(400)) }

    @Test(arguments: [("HTTP/1.0", true), ("HTTP/1.1", false), ("HTTP/1.2", false), ("HTTP/1.9", false)])
    func `a minor version above 1 is served as 1`(_ version: String, _ isHTTP10: Bool) {
        let head = line("GET / \(version)").head
        #expect(head?.isHTTP10 == isHTTP10)
        #expect(head?.keepsAlive == !isHTTP10)
    }

    @Test(arguments: [
        ("/", "/", ""), ("/a?b", "/a", "b"), ("/a?", "/a", ""), ("/a?b?c&d", "/a", "b?c&d"), ("//a", "//a", ""),
        ("/?/x", "/", "/x"), ("/%zz", "/%zz", ""), ("/a:b@c", "/a:b@c", ""), ("http://h.example/p?q", "/p", "q"),
        ("HTTP://h.example/p", "/p", ""), ("https://h.example:8443/p/", "/p/", ""), ("http://h.example", "", ""),
        ("http://h.example?q", "", "q"), ("http://h.example?a/b", "", "a/b"), ("http://[2001:db8::1]:80/x", "/x", ""),
        ("http://h.example//", "//", ""), ("http://h.example:/x", "/x", ""),
    ])
    func `a target falls into path and query`(_ target: String, _ path: String, _ query: String) {
        let head = line("GET \(target) HTTP/1.1").head
        #expect(head?.target == target)
        #expect(head?.path == path)
        #expect(head?.query == query)
    }

    @Test(arguments: [
        "a", "*", "a/b", "?x", "h.example:80", "ftp://h.example/", "http:/a", "http://", "http:///a", "http://?x",
        "http://u@h.example/", "http://u:p@h.example/", "http://h ex/", "http://[::1/", "http://h:8a/", "http://h<b>/",
        "https:a",
        "javascript:x", "data:,", ":", "://h/",
    ])
    func `a target of no known form is 400`(_ target: String) { #expect(line("GET \(target) HTTP/1.1") == .fault(400)) }

    @Test func `an asterisk is a target for OPTIONS alone`() {
        #expect(line("OPTIONS * HTTP/1.1").head?.path == "")
        #expect(line("OPTIONS *?x HTTP/1.1") == .fault(400))
        #expect(line("OPTIONS ** HTTP/1.1") == .fault(400))
        #expect(line("POST * HTTP/1.1") == .fault(400))
    }

    @Test func `an authority is a target for CONNECT alone`() {
        #expect(line("CONNECT h.example:443 HTTP/1.1").head?.method == .connect)
        #expect(line("POST h.example:443 HTTP/1.1") == .fault(400))
    }

    @Test func `two empty lines before a request are skipped, three are not`() {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(parse("\r\n\r\n" + request).head?.length == request.utf8.count + 4)
        #expect(parse("\r\n\r\n\r\n" + request) == .fault(400))
        #expect(parse("\n" + request) == .fault(400))
        #expect(parse("\r" + request) == .fault(400))
        #expect(parse("\r\r\n" + request) == .fault(400))
        #expect(parse(" \r\n" + request) == .fault(400))
    }

    @Test func `a fault in the answer to a HEAD is known to be one`() {
        guard case .fault(_, isHead: true) = RequestParser(limits: Limits()).parse("HEAD / HTTP/1.1\r\n\r\n".utf8Span.span)
        else {
            Issue.record("a HEAD without Host must be a fault of a HEAD")
            return
        }
    }

    @Test func `other protocols are refused from their first bytes`() {
        #expect(parse([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]) == .fault(400))  // TLS
        #expect(parse("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == .fault(400))  // HTTP/2 without an upgrade
        #expect(parse([0x05, 0x01, 0x00]) == .fault(400))  // SOCKS 5
        #expect(parse("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n") == .fault(400))
        #expect(parse("GET /\r\n") == .fault(400))  // HTTP/0.9
    }
}
