import Testing

@testable import HTTP

/// The chunked coding: RFC 9112 §7.1.
struct ChunkedDecoderTests {
    private enum Outcome: Equatable, CustomStringConvertible {
        /// The content, and how many bytes were taken; nil for an unfinished body.
        case done(String, Int)
        case unfinished(String)
        case fault(Int)

        var description: String {
            switch self {
            case .done(let content, let count): "\(content) in \(count)"
            case .unfinished(let content): "\(content)…"
            case .fault(let status): "\(status)"
            }
        }
    }

    private static let limits: Limits = {
        var limits = Limits()
        limits.body = 1000
        limits.chunkExtensions = 50
        limits.headerBlock = 100
        return limits
    }()

    private func decode(_ pieces: [[UInt8]]) -> Outcome {
        var decoder = ChunkedDecoder(limits: Self.limits)
        var content: [UInt8] = []
        var taken = 0
        for piece in pieces {
            var at = 0
            do throws(RequestFault) {
                try decoder.decode(piece.span, &at) { span in for index in span.indices { content.append(span[index]) } }
            } catch {
                return .fault(Int(error.status.rawValue))
            }
            taken += at
            if decoder.isDone { break }
            #expect(at == piece.count)
        }
        let text = String(decoding: content, as: UTF8.self)
        return decoder.isDone ? .done(text, taken) : .unfinished(text)
    }

    /// Whole, byte by byte, and split at every place: all must come to the same.
    private func decode(_ text: String) -> Outcome {
        let bytes = Array(text.utf8)
        let whole = decode([bytes])
        #expect(decode(bytes.map { [$0] }) == whole, "\(text.debugDescription) byte by byte")
        for at in bytes.indices {
            #expect(decode([Array(bytes[..<at]), Array(bytes[at...])]) == whole, "\(text.debugDescription) at \(at)")
        }
        return whole
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"),
        ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("a\r\n0123456789\r\n000\r\n\r\n", "0123456789"),
        ("00000005\r\nhello\r\n0\r\n\r\n", "hello"), ("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
        ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"),
    ])
    func `chunks become their content`(_ body: String, _ content: String) {
        #expect(decode(body) == .done(content, body.utf8.count))
    }

    @Test func `the next request behind the last chunk is left alone`() {
        #expect(decode("1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n") == .done("a", 11))
        #expect(decode("0\r\n\r\n\r\n") == .done("", 5))
    }

    @Test func `a body that is not over is not done`() {
        let body = "5;a=\"b;\\\"c\"\r\nhello\r\n0\r\nX: y\r\n\r\n"
        #expect(decode(body) == .done("hello", body.utf8.count))
        for count in 0..<body.utf8.count {
            guard case .unfinished = decode([Array(body.utf8.prefix(count))]) else {
                Issue.record("\(count) bytes must be unfinished")
                continue
            }
        }
    }

    @Test(arguments: [
        ";a", ";a=b", ";a=\"b\"", ";a=\"b;c\\\"d\\\\\"", ";a;b;c=d", ";a=\"\"", ";a=\"\t \"", ";!#$%&'*+-.^_`|~=1",
    ])
    func `extensions by the grammar are skipped`(_ text: String) {
        #expect(decode("1\(text)\r\na\r\n0\(text)\r\n\r\n") == .done("a", 11 + 2 * text.utf8.count))
    }

    @Test(arguments: [
        ";", ";;", ";=", ";a=", ";a=;", ";a=b=c", "; a", ";a ;b", ";a =b", ";a= b", ";a=\"b", ";a=\"b\"c", ";a=\"\n\"",
        ";a\n",
        ";a=\"\\\n\"", ";a\0", " ", " ;a", "\t", ";a\r", ";a=\"b\u{7f}\"", ";\"a\"",
    ])
    func `anything else behind a size is malformed`(_ text: String) {
        #expect(decode("1\(text)\r\na\r\n0\r\n\r\n") == .fault(400))
    }

    @Test(arguments: [
        "\r\n", "x\r\n", "-1\r\na", "+1\r\na", "0x1\r\na", "g\r\n", " 1\r\na", "1\na\r\n0\r\n\r\n", "1\ra\r\n0\r\n\r\n",
        "1\r\rna",
        "1\r\nab\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n", "1\r\na0\r\n\r\n", "1\r\na\r0\r\n\r\n", "2\r\na\r\n0\r\n\r\n0",
        "0\n\n", "0\r\n\n",
        "0\r\n\r\r", "0\r\nX\r\n\r\n", "0\r\nX : y\r\n\r\n", "0\r\n X: y\r\n\r\n", "0\r\nX: y\n\r\n",
        "0\r\nX: y\r\n Z\r\n\r\n",
        "0\r\n: y\r\n\r\n", "0\r\nX: \0\r\n\r\n", "1.0\r\na", "\n", "0\r\n\rX",
    ])
    func `a malformed body is 400`(_ body: String) { #expect(decode(body) == .fault(400)) }

    @Test(arguments: ["X: y\r\n", "X:\r\n", "Content-Length: 7\r\nHost: a\r\n", "A: 1\r\nB: 2\r\nC: \t3 \r\n"])
    func `trailers are read and dropped`(_ trailers: String) {
        #expect(decode("1\r\na\r\n0\r\n\(trailers)\r\n") == .done("a", 11 + trailers.utf8.count))
    }

    @Test func `content over the limit is 413 as soon as its size is known`() {
        let exact = "3E8\r\n" + String(repeating: "a", count: 1000) + "\r\n0\r\n\r\n"
        #expect(decode([Array(exact.utf8)]) == .done(String(repeating: "a", count: 1000), exact.utf8.count))
        #expect(decode("3E9") == .fault(413))
        #expect(decode("FFFFFFFFFFFFFFFFFFFF") == .fault(413))
        #expect(decode("7FFFFFFFFFFFFFFF") == .fault(413))
        #expect(decode("8000000000000000") == .fault(413))
        #expect(decode("1\r\na\r\n3E8") == .fault(413))
        let many = String(repeating: "1\r\na\r\n", count: 1000)
        #expect(decode([Array((many + "1").utf8)]) == .fault(413))
        #expect(decode([Array((many + "0\r\n\r\n").utf8)]) == .done(String(repeating: "a", count: 1000), 6005))
    }

    @Test func `zeros before a size have an end`() {
        #expect(decode(String(repeating: "0", count: 31) + "1\r\na\r\n0\r\n\r\n") == .done("a", 42))
        #expect(decode(String(repeating: "0", count: 33)) == .fault(400))
    }

    @Test func `extensions and trailers are bounded over the whole body`() {
        #expect(decode([Array(String(repeating: "1;aaaaaaa\r\na\r\n", count: 4).utf8)]) == .unfinished("aaaa"))
        #expect(decode([Array(String(repeating: "1;aaaaaaa\r\na\r\n", count: 8).utf8)]) == .fault(400))
        #expect(decode([Array(("0\r\n" + String(repeating: "A: b\r\n", count: 15)).utf8)]) == .unfinished(""))
        #expect(decode([Array(("0\r\n" + String(repeating: "A: b\r\n", count: 30)).utf8)]) == .fault(431))
        #expect(decode([Array("0\r\nA: \(String(repeating: "b", count: 200))".utf8)]) == .fault(431))
    }
}
