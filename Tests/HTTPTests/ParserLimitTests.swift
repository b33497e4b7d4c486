import Testing

@testable import HTTP

/// Limits, and heads that come in pieces.
struct ParserLimitTests {
    private let limits: Limits = {
        var limits = Limits()
        limits.requestLine = 100
        limits.headerBlock = 200
        limits.headerFields = 5
        return limits
    }()

    private func ofLength(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test func `a request line at the limit is taken, one byte more is 414`() {
        // "GET " and the target are counted.
        #expect(parse("GET /\(ofLength(95)) HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits).head != nil)
        #expect(parse("GET /\(ofLength(96)) HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits) == .fault(414))
        #expect(parse("GET /?\(ofLength(95)) HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits) == .fault(414))
    }

    @Test func `a line without end is 414 as soon as it is over the limit`() {
        #expect(parse("GET /\(ofLength(96))", limits: limits) == .fault(414))
        #expect(parse(ofLength(101), limits: limits) == .fault(414))
        #expect(parse(ofLength(100), limits: limits) == .incomplete)
        #expect(parse("\r\n\r\n" + ofLength(100), limits: limits) == .incomplete)
    }

    @Test func `the default line holds a long URL of 8000 bytes with half of it escaped`() {
        let target = "/add/k/s?url=" + String(repeating: "%41a", count: 4000)
        #expect(target.utf8.count > 16_000)
        #expect(parse("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").head?.target == target)
    }

    @Test func `a header block at the limit is taken, one byte more is 431`() {
        let host = "Host: a\r\n"
        let room = 200 - host.utf8.count - "X: \r\n".utf8.count
        #expect(parse("GET / HTTP/1.1\r\n\(host)X: \(ofLength(room))\r\n\r\n", limits: limits).head != nil)
        #expect(parse("GET / HTTP/1.1\r\n\(host)X: \(ofLength(room + 1))\r\n\r\n", limits: limits) == .fault(431))
        #expect(parse("GET / HTTP/1.1\r\n\(host)X: \(ofLength(300))", limits: limits) == .fault(431))
        #expect(parse("GET / HTTP/1.1\r\n\(host)\(ofLength(300))", limits: limits) == .fault(431))
    }

    @Test func `a field more than allowed is 431`() {
        let lines = "Host: a\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n"
        #expect(parse("GET / HTTP/1.1\r\n\(lines)\r\n", limits: limits).head != nil)
        #expect(parse("GET / HTTP/1.1\r\n\(lines)E: 1\r\n\r\n", limits: limits) == .fault(431))
    }

    static let heads = [
        "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "\r\n\r\nPOST /api-add?x=1 HTTP/1.1\r\nHost: [::1]:8080\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nhost:a\r\nTransfer-Encoding:\tchunked\r\nConnection: close , x\r\n\r\n",
        "HEAD http://h.example:80/p?q HTTP/1.0\r\nX:\r\nY: \t \r\nConnection: keep-alive\r\n\r\n",
        "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n",
        "M-SEARCH /ü HTTP/1.9\r\nHost: a\r\nCookie: a=b; c=\"d\"\r\n\r\n",
    ]

    @Test(arguments: heads) func `every beginning of a good head is incomplete`(_ head: String) {
        let bytes = Array(head.utf8)
        for count in 0..<bytes.count { #expect(parse(Array(bytes[..<count])) == .incomplete, "\(count) bytes") }
        #expect(parse(bytes).head?.length == bytes.count)
    }

    @Test(arguments: heads) func `what follows a head changes nothing about it`(_ head: String) {
        let alone = parse(head)
        for tail in ["GET / HTTP/1.1\r\n", "\0\u{1}", "5\r\nhello\r\n", " ", "\r\n"] {
            #expect(parse(head + tail) == alone)
        }
    }

    @Test(arguments: heads) func `a head with one byte changed comes to the same, whole or byte by byte`(_ head: String) {
        let good = Array(head.utf8)
        for index in good.indices {
            for byte in [0, 9, 10, 13, 32, 58, 63, 65, 127, 200] as [UInt8] {
                var bytes = good
                bytes[index] = byte
                // More, so that a whole head without end is not merely incomplete.
                let whole = parse(bytes)
                let pieces = (0...bytes.count).lazy.map { parse(Array(bytes[..<$0])) }.first { $0 != .incomplete }
                #expect((pieces ?? .incomplete) == whole, "byte \(index) as \(byte)")
            }
        }
    }
}
