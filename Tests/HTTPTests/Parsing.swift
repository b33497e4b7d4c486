// What the parser says of bytes, as values that tests can compare.
@testable import HTTP

/// An outcome of the parser with its places made into text.
enum Parsed: Equatable, CustomStringConvertible {
    case incomplete
    case head(Head)
    case fault(Int)

    struct Head: Equatable {
        var method: HTTP.Method
        var target: String
        var path: String
        var query: String
        var length: Int
        var isHTTP10: Bool
        var framing: BodyFraming
        var keepsAlive: Bool
        var expectsContinue: Bool
        var hasUnknownExpectation: Bool
    }

    var head: Head? { if case .head(let head) = self { head } else { nil } }

    var status: Int? { if case .fault(let status) = self { status } else { nil } }

    var description: String {
        switch self {
        case .incomplete: "incomplete"
        case .head(let head): "\(head.method) \(head.target)"
        case .fault(let status): "\(status)"
        }
    }
}

func parse(_ bytes: [UInt8], limits: Limits = Limits()) -> Parsed {
    switch RequestParser(limits: limits).parse(bytes.span) {
    case .incomplete: .incomplete
    case .fault(let fault, _): .fault(Int(fault.status.rawValue))
    case .head(let head):
        .head(
            Parsed.Head(
                method: head.method, target: text(bytes, head.target), path: text(bytes, head.path),
                query: text(bytes, head.query), length: head.length, isHTTP10: head.isHTTP10, framing: head.framing,
                keepsAlive: head.keepsAlive, expectsContinue: head.expectsContinue,
                hasUnknownExpectation: head.hasUnknownExpectation))
    }
}

func parse(_ text: String, limits: Limits = Limits()) -> Parsed { parse(Array(text.utf8), limits: limits) }

/// A GET of `/` with these field lines, each given without its CRLF, behind a Host.
func parse(fields: String...) -> Parsed {
    parse("GET / HTTP/1.1\r\nHost: a.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
}

private func text(_ bytes: [UInt8], _ place: ByteRange) -> String {
    String(decoding: bytes[Int(place.start)..<Int(place.end)], as: UTF8.self)
}

/// Letters, digits and the marks of RFC 9110 §5.6.2, written out anew so that the parser's table is checked by another.
let tokenBytes = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

/// Xorshift (Marsaglia 2003): short, and the same on every machine.
struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
