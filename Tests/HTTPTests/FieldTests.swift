import Testing

@testable import HTTP

/// Field lines and the fields that decide framing: RFC 9112 §3.2, §5, §6, §9.3; RFC 9110 §5.5, §10.1.1.
struct FieldTests {
    // MARK: Lines

    @Test func `every byte in a field name is a token's, or its end, or refused`() {
        for byte in UInt8.min...UInt8.max {
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + Array("Y: v\r\n\r\n".utf8)
            let isAllowed = tokenBytes.contains(byte) || byte == UInt8(ascii: ":")
            #expect((parse(bytes).head != nil) == isAllowed, "byte \(byte)")
            if !isAllowed { #expect(parse(bytes) == .fault(400), "byte \(byte)") }
        }
    }

    @Test func `every byte in a field value is text, blank or beyond ASCII, or refused`() {
        for byte in UInt8.min...UInt8.max {
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: a".utf8) + [byte] + Array("b\r\n\r\n".utf8)
            let isAllowed = byte == 0x09 || byte >= 0x20 && byte != 0x7f
            #expect((parse(bytes).head != nil) == isAllowed, "byte \(byte)")
            if !isAllowed { #expect(parse(bytes) == .fault(400), "byte \(byte)") }
        }
    }

    @Test(arguments: [
        "X : a", "X\t: a", " X: a", "\tX: a", ": a", "X", "X a", "X: a\r\n folded", "X: a\r\n\tfolded", "X: a\nY: b",
        "X: a\rY: b",
        "X: a\r", "X;: a", "\"X\": a", "X: a\0", "X: \u{7f}",
    ])
    func `a malformed field line is 400`(_ line: String) { #expect(parse(fields: line) == .fault(400)) }

    @Test(arguments: ["X:", "X:a", "X: \t a \t ", "x-Y_z.1: a", "X: a: b", "X: ü", "X: \"quoted \\\" text\""])
    func `a well-formed field line is taken`(_ line: String) { #expect(parse(fields: line).head != nil) }

    @Test func `a value comes without the white space round it`() throws {
        let bytes = Array("Name: \t some value \t \r\nNext: x\r\n".utf8)
        let line = try #require(try FieldLine(bytes.span, from: 0))
        #expect(String(decoding: bytes[line.name.indices], as: UTF8.self) == "Name")
        #expect(String(decoding: bytes[line.value.indices], as: UTF8.self) == "some value")
        #expect(line.end == 23)
    }

    @Test(arguments: ["\n\n", "\r\n\n", "\n\r\n", "\r\r\n"])
    func `an end of the head other than CRLF CRLF is no end`(_ end: String) {
        #expect(parse("GET / HTTP/1.1\r\nHost: a" + end).head == nil)
        #expect(parse("GET / HTTP/1.1\r\nHost: a" + end + "GET / HTTP/1.1\r\n\r\n") == .fault(400))
    }

    // MARK: Host

    @Test(arguments: [
        "a.example", "A.EXAMPLE", "a.example:80", "a.example:", "a:0", "192.0.2.1:8080", "[::1]", "[::1]:8080",
        "[2001:db8::1]",
        "[v1.x:y]", "", "xn--bcher-kva.example", "a_b", "a%20b", "a,b", "-", "localhost", "a:99999999999999999999",
    ])
    func `a host with an optional port is a Host`(_ host: String) {
        #expect(parse("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").head != nil)
    }

    @Test(arguments: [
        "a b", "a/b", "a@b", "u:p@h", "http://a", "a:b", "a:80:80", "a:8o", "a?b", "a#b", "a\\b", "<a>", "\"a\"", "[::1",
        "::1",
        "[]", "[::1]x", "[::1]:x", "[::1]:80x", "[a b]", "a]", "a[b]", "a|b", "{a}", "a^b", "`a`", "ü.example", "a\tb",
        "[::g/]",
        "a:-1", "a:+1", "a:1 1",
    ])
    func `what HTML, a log or another server could misread is no Host`(_ host: String) {
        #expect(parse("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == .fault(400))
    }

    @Test func `HTTP 1 point 1 has exactly one Host, HTTP 1 point 0 at most one`() {
        #expect(parse("GET / HTTP/1.1\r\n\r\n") == .fault(400))
        #expect(parse("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n") == .fault(400))
        #expect(parse("GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n") == .fault(400))
        #expect(parse("GET http://a/ HTTP/1.1\r\n\r\n") == .fault(400))
        #expect(parse("GET / HTTP/1.0\r\n\r\n").head != nil)
        #expect(parse("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n") == .fault(400))
        #expect(parse("GET / HTTP/1.1\r\nHosts: a\r\n\r\n") == .fault(400))
    }

    // MARK: Content-Length and Transfer-Encoding

    @Test(arguments: [
        ("0", 0), ("5", 5), ("0005", 5), ("1048577", 1_048_577), ("999999999999999999", 999_999_999_999_999_999),
    ])
    func `digits are a length`(_ value: String, _ length: Int) {
        #expect(parse(fields: "Content-Length: \(value)").head?.framing == .length(length))
    }

    @Test(arguments: [
        "", "+5", "-5", "5.0", "0x5", "5 5", "5,5", "5, 5", "five", "5;", "\"5\"", "5\t5", "٥", "1e3", "1_000", ",5", "5,",
    ])
    func `what is not digits alone is no length`(_ value: String) {
        #expect(parse(fields: "Content-Length: \(value)") == .fault(400))
    }

    @Test(arguments: [
        "9223372036854775807", "9223372036854775808", "18446744073709551616", String(repeating: "9", count: 400),
    ])
    func `a length beyond counting is too large`(_ value: String) {
        #expect(parse(fields: "Content-Length: \(value)") == .fault(413))
    }

    @Test func `a length is said once`() {
        #expect(parse(fields: "Content-Length: 5", "Content-Length: 5") == .fault(400))
        #expect(parse(fields: "Content-Length: 5", "content-length: 6") == .fault(400))
    }

    @Test(arguments: ["chunked", "Chunked", "CHUNKED", " chunked\t"])
    func `chunked is understood in any letter case`(_ value: String) {
        #expect(parse(fields: "Transfer-Encoding: \(value)").head?.framing == .chunked)
    }

    @Test(arguments: [
        "", "gzip", "identity", "chunked, gzip", "chunked, identity", "chunked, chunked", "xchunked", "chunkedx",
        "chunked;q=1",
        "\"chunked\"", "chunked,", ",chunked", "chun ked", "chunked chunked", "gzip, chunked, chunked", "\u{b}chunked",
    ])
    func `a coding that does not say where the content ends is 400`(_ value: String) {
        #expect(parse(fields: "Transfer-Encoding: \(value)") == .fault(400))
    }

    @Test(arguments: ["gzip, chunked", "deflate,chunked", "identity, chunked", "gzip, deflate , Chunked"])
    func `a coding beside chunked is not understood`(_ value: String) {
        #expect(parse(fields: "Transfer-Encoding: \(value)") == .fault(501))
    }

    @Test func `two ways to say where the content ends are one too many`() {
        #expect(parse(fields: "Content-Length: 5", "Transfer-Encoding: chunked") == .fault(400))
        #expect(parse(fields: "Transfer-Encoding: chunked", "Content-Length: 5") == .fault(400))
        #expect(parse(fields: "Transfer-Encoding: chunked", "Content-Length: 0") == .fault(400))
        #expect(parse(fields: "Transfer-Encoding: chunked", "Transfer-Encoding: chunked") == .fault(400))
        #expect(parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == .fault(400))
        #expect(parse(fields: "Transfer-Encoding : chunked") == .fault(400))
    }

    @Test func `names that only resemble the framing ones decide nothing`() {
        let head = parse(
            fields: "Content_Length: 5", "XTransfer-Encoding: chunked", "Content-Lengths: 5", "Transfer_Encoding: x")
        #expect(head.head?.framing == BodyFraming.none)
    }

    // MARK: Connection and Expect

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "Close", false),
        ("HTTP/1.1", "keep-alive", true),
        ("HTTP/1.1", "foo, close", false), ("HTTP/1.1", "close,foo", false), ("HTTP/1.1", ",, close ,", false),
        ("HTTP/1.1", "closed", true), ("HTTP/1.1", "x-close", true), ("HTTP/1.1", "keep-alive, close", false),
        ("HTTP/1.1", "upgrade", true), ("HTTP/1.0", "", false), ("HTTP/1.0", "keep-alive", true),
        ("HTTP/1.0", "Keep-Alive", true),
        ("HTTP/1.0", "close", false), ("HTTP/1.0", "keep-alive, close", false), ("HTTP/1.0", "foo,\tkeep-alive", true),
        ("HTTP/1.0", "keep-alives", false),
    ])
    func `the connection is kept as its options say`(_ version: String, _ value: String, _ isKept: Bool) {
        #expect(parse("GET / \(version)\r\nHost: a\r\nConnection: \(value)\r\n\r\n").head?.keepsAlive == isKept)
    }

    @Test func `options in two Connection fields count together`() {
        #expect(parse(fields: "Connection: foo", "Connection: close").head?.keepsAlive == false)
        #expect(parse(fields: "Connection: close", "Connection: keep-alive").head?.keepsAlive == false)
    }

    @Test(arguments: [
        ("100-continue", true), ("100-Continue", true), ("100-continue, x", false), ("x", false), ("", false),
    ])
    func `one expectation is understood`(_ value: String, _ isKnown: Bool) {
        let head = parse(fields: "Expect: \(value)").head
        #expect(head?.expectsContinue == isKnown)
        #expect(head?.hasUnknownExpectation == !isKnown)
    }

    @Test func `an unknown expectation is not made good by a known one, and HTTP 1 point 0 has none`() {
        #expect(parse(fields: "Expect: x", "Expect: 100-continue").head?.hasUnknownExpectation == true)
        #expect(parse(fields: "Expect: 100-continue", "Expect: x").head?.hasUnknownExpectation == true)
        let old = parse("POST / HTTP/1.0\r\nExpect: x\r\nContent-Length: 1\r\n\r\n").head
        #expect(old?.hasUnknownExpectation == false)
        #expect(old?.expectsContinue == false)
    }
}
