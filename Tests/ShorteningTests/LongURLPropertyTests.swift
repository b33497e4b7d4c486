import Sanitizer
import Testing

@testable import Shortening

/// What holds for every accepted text, tried on random ones. The generator is seeded, so a failure can be repeated.
struct LongURLPropertyTests {
    /// Xorshift (Marsaglia 2003): short, and the same on every machine.
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    private static let pieces = [
        "http", "https", "HTTPS", ":", "//", "/", "\\", "?", "#", "@", "[", "]", "::", "1", "0x7f", "08", "256", ".", "..",
        "%2e",
        "%", "%zz", "%41", "%C3%BC", "%00", "%0d%0a", "ü", "☃", "xn--", "n3h", "ß", "a", "Example", ".com", "-", "_", "~",
        "'", "\"",
        "<", ">", "^", "`", "{", "|", " ", "\t", "\r\n", "\r", "\n", "\0", "\u{7f}", "\u{200d}", "\u{ad}", "。", "１", "😀",
        "א",
        "e\u{301}", "65535", "65536", ":80", ":443", "ffff", "1.2.3.4", "\u{feff}", "\u{fffd}", "user:pw@", "\u{85}",
        "\u{2028}",
    ]

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `whatever is accepted is printable ASCII, means the same to a browser, and is kept when it comes again`(
        _ seed: UInt64
    ) throws {
        var random = Random(state: seed &* 0x9e37_79b9_7f4a_7c15)
        var accepted = 0
        for _ in 0..<(Sanitizer.isOn ? 1_000 : 4_000) {
            let start =
                ["http://", "https://", "http://a", "https://h/", "http://[", ""].randomElement(using: &random) ?? ""
            let text = (0..<Int.random(in: 0...8, using: &random)).reduce(start) { text, _ in
                text + (Self.pieces.randomElement(using: &random) ?? "")
            }
            guard let url = try? LongURL(text, limit: 500) else { continue }
            accepted += 1
            #expect(url.text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "\(text.debugDescription)")
            #expect(url.text.utf8.count <= 500)
            #expect(try LongURL(url.text, limit: 500) == url, "\(text.debugDescription)")
            let standard = try #require(url.standardForm)
            #expect(standard.hasPrefix("http://") || standard.hasPrefix("https://"))
            #expect(LongURL(stored: standard).standardForm == standard, "\(text.debugDescription)")
            #expect(LongURL(stored: text).standardForm == standard, "\(text.debugDescription)")
            #expect(try LongURL(Array(text.utf8).span, limit: 500) == url)
            #expect(try LongURL(kindly: text, limit: 500) == url)
        }
        #expect(accepted > 100)
    }

    @Test func `random bytes never stop the program and never leave a line break`() {
        var random = Random(state: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let url = try? LongURL((Array("http://".utf8) + bytes).span, limit: 500)
            #expect(url?.text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ?? true)
        }
    }

    @Test func `many threads may convert hosts at once`() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy {
                        (try? LongURL("http://bücher\($0).example/", limit: 500))?.text.hasPrefix("http://xn--") == true
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
