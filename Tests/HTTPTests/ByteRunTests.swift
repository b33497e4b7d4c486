// Runs of bytes are skipped eight at a time as they would be one by one.
import Testing

@testable import HTTP

struct ByteRunTests {
    /// Every byte value at every place of a text of three words, behind fillers that differ from it in one bit or by a borrow.
    private static let texts: [[UInt8]] = (0...255 as ClosedRange<UInt8>).flatMap { byte in
        (0..<20).flatMap { place in
            [UInt8(ascii: "a"), 0x21, 0x80, 0xff].map { filler in
                var text = [UInt8](repeating: filler, count: 20)
                text[place] = byte
                if place + 1 < 20 { text[place + 1] = byte &+ 1 }
                return text
            }
        }
    }

    @Test func `a field value ends where the first byte lies that may not stand in it`() {
        for text in Self.texts {
            let end = text.firstIndex { !ByteClass.isValue($0) } ?? text.count
            #expect(ByteRun.endOfValue(text.span, from: 0) == end, "\(text)")
        }
    }

    @Test func `a plain target ends at a question mark, a percent sign and what may not stand in a target`() {
        for text in Self.texts {
            let end = text.firstIndex { !ByteClass.isTarget($0) || $0 == .questionMark || $0 == .percent } ?? text.count
            #expect(ByteRun.endOfPlainTarget(text.span, from: 0) == end, "\(text)")
        }
    }

    @Test func `what is skipped of a host is all of it allowed, and whole words are skipped`() {
        for text in Self.texts {
            let end = ByteRun.endOfPlainHost(text.span, from: 0)
            #expect(text[..<end].allSatisfy { ByteClass.isHost($0) }, "\(text)")
        }
        let host = Array("links.shop-24.example.org".utf8)
        #expect(ByteRun.endOfPlainHost(host.span, from: 0) == 24)
    }

    @Test func `what is skipped of a field name is all of it allowed, and whole words are skipped`() {
        for text in Self.texts {
            let end = ByteRun.endOfPlainName(text.span, from: 0)
            #expect(text[..<end].allSatisfy { ByteClass.isToken($0) }, "\(text)")
        }
        let name = Array("Sec-WebSocket-Extensions: x".utf8)
        #expect(ByteRun.endOfPlainName(name.span, from: 0) == 24)
    }

    @Test func `letter case is told apart from everything else, in words and behind them`() {
        for text in Self.texts {
            let word = Array(text[..<8])
            let small = ByteRun.lowercased(word.span.word(at: 0))
            #expect(
                (0..<8).map { UInt8(truncatingIfNeeded: small >> (8 * UInt64($0))) } == word.map(\.lowercased), "\(word)")
        }
        let name: StaticString = "sec-websocket-key"
        let equal = { (other: String) in matchesIgnoringCase(Array(other.utf8).span, name) }
        for other in ["Sec-WebSocket-Key", "SEC-WEBSOCKET-KEY"] { #expect(equal(other), "\(other)") }
        for other in ["Sec-WebSocket-Kez", "Sec\rWebSocket-Key", "sec-websocket-ke", "sec-websockeT-key2"] {
            #expect(!equal(other), "\(other)")
        }
    }

    @Test func `it begins where it is told`() {
        let text = Array("\r\nabc/def?ghijklmnopqrs\r\n".utf8)
        #expect(ByteRun.endOfValue(text.span, from: 2) == text.count - 2)
        #expect(ByteRun.endOfPlainTarget(text.span, from: 2) == 9)
        #expect(ByteRun.endOfValue(text.span, from: text.count) == text.count)
    }
}
