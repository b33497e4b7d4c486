import Testing

@testable import Shortening

/// Slugs people choose, and slugs read from a path.
struct SlugTests {
    let reserved = ReservedNames(["list", "Info"])

    private func error(_ text: String, limit: Int = 45) -> SlugError? {
        do throws(SlugError) {
            let slug = try Slug(text, limit: limit, reserved: reserved)
            #expect(slug.text == text)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "a", "MyUrl", "myurl", "0", "-", "_", "--", "report.pdf", "a-b_c~d", "a.b~c", "a..b", "json", "a.jsonx", "xjson",
        "a.json.b", String(repeating: "x", count: 45),
    ])
    func `a text of the alphabet is a slug, kept as it is`(_ text: String) throws {
        #expect(error(text) == nil)
        #expect(Slug(path: text.utf8Span.span, limit: 45)?.text == text)
    }

    @Test(
        arguments: [
            ("menu?lang=de", "?"), ("a#b", "#"), ("a%b", "%"), ("a\\b", "\\"), ("a/b", "/"), ("a b", " "), ("café", "é"),
            ("cafe\u{301}", "\u{301}"), ("🎉", "🎉"), ("a\0b", "\0"), ("a\r\nb", "\r"), ("a\u{202e}", "\u{202e}"),
            ("a:b", ":"),
            ("\u{212a}", "\u{212a}"), ("{slug}", "{"), ("a+b", "+"), ("%41", "%"),
        ] as [(String, Unicode.Scalar)])
    func `a character outside the alphabet is named`(_ text: String, _ scalar: Unicode.Scalar) {
        #expect(error(text) == .character(scalar))
        #expect(Slug(path: text.utf8Span.span, limit: 45) == nil)
    }

    @Test(arguments: [".", "..", "...", ".a", "a.", "~a", "a~", "~", "~a~", "a.json", "a.JSON", "courses.JsOn", ".json"])
    func `dots and tildes at the ends and names in json are refused`(_ text: String) {
        #expect(error(text) == .shape)
        #expect(Slug(path: text.utf8Span.span, limit: 45) == nil)
    }

    @Test(arguments: [
        "list", "LIST", "info", "INFO", "api", "API", "Admin", "login", "health", "static", ".well-known", ".Well-Known",
        "rest",
    ])
    func `reserved names are refused in any letter case`(_ text: String) { #expect(error(text) == .reserved(text)) }

    @Test func `names that only begin like a reserved one are free`() {
        for text in ["apis", "listen", "a-list", "well-known"] { #expect(error(text) == nil) }
    }

    @Test func `the limit counts Unicode scalars and comes first`() {
        #expect(error("") == .empty)
        #expect(Slug(path: "".utf8Span.span, limit: 45) == nil)
        #expect(error(String(repeating: "x", count: 46)) == .tooLong(limit: 45))
        #expect(Slug(path: String(repeating: "x", count: 46).utf8Span.span, limit: 45) == nil)
        #expect(error("abc", limit: 2) == .tooLong(limit: 2))
        #expect(error(String(repeating: "é", count: 46)) == .tooLong(limit: 45))
        #expect(error(String(repeating: "é", count: 45)) == .character("é"))
        #expect(error("a" + String(repeating: "\u{301}", count: 45)) == .tooLong(limit: 45))
    }

    @Test func `bytes that are no text are no slug`() {
        for bytes: [UInt8] in [[0xff], [0x61, 0xc3], [0xc1, 0xa1], [0]] {
            #expect(Slug(path: bytes.span, limit: 45) == nil)
        }
    }

    @Test func `letter case makes two slugs`() {
        #expect(Slug(stored: "MyUrl") != Slug(stored: "myurl"))
        #expect(Slug(stored: "MyUrl").stableHash != Slug(stored: "myurl").stableHash)
    }

    @Test func `every message is one printable line that says what to do`() {
        let errors: [SlugError] = [
            .empty, .tooLong(limit: 45), .character("é"), .character("\n"), .character(" "), .character("?"),
            .reserved("API"),
            .shape,
        ]
        for error in errors { #expect(error.message.utf8.allSatisfy { (0x20...0x7e).contains($0) }) }
        #expect(SlugError.tooLong(limit: 45).message.contains("45"))
        #expect(SlugError.character("é").message.contains("U+00E9"))
        #expect(SlugError.character("\n").message.contains("U+000A"))
        #expect(SlugError.reserved("API").message.contains("\"API\""))
    }
}

/// The hash by which slugs are found in memory.
struct SlugHashTests {
    @Test func `text and bytes give one hash`() {
        for length in 0...45 {
            let text = String(String(repeating: "abcdefgh", count: 6).prefix(length))
            #expect(Slug(stored: text).stableHash == Slug.hash(of: Array(text.utf8).span))
        }
    }

    @Test func `no two of a million numbered slugs share a hash`() {
        var seen = Set<UInt64>()
        for number in 0..<1_000_000 { seen.insert(Slug.hash(of: String(number, radix: 36).utf8Span.span)) }
        #expect(seen.count == 1_000_000)
    }

    @Test func `runs of one byte differ by their length`() {
        #expect(Set((0...45).map { Slug.hash(of: [UInt8](repeating: 0, count: $0).span) }).count == 46)
        #expect(Set((0...45).map { Slug.hash(of: [UInt8](repeating: 0x61, count: $0).span) }).count == 46)
    }

    @Test(arguments: [1, 2, 3, 4, 6, 7, 8, 9, 15, 16, 17, 45])
    func `changing one bit of the slug turns half of the hash, high and low`(_ length: Int) {
        var low = 0
        var high = 0
        var trials = 0
        for round in 0..<64 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ round &* 17) }
            for bit in 0..<(length * 8) {
                var other = bytes
                other[bit / 8] ^= 1 << UInt8(bit % 8)
                let difference = Slug.hash(of: bytes.span) ^ Slug.hash(of: other.span)
                low += (difference & 0xfff).nonzeroBitCount
                high += (difference >> 52).nonzeroBitCount
                trials += 1
            }
        }
        // 12 bits each: 6 turn on average.
        #expect((5.5...6.5).contains(Double(low) / Double(trials)))
        #expect((5.5...6.5).contains(Double(high) / Double(trials)))
    }

    @Test func `a seed gives another function`() {
        let bytes = Array("talk".utf8)
        #expect(Slug.hash(of: bytes.span, seed: 1) != Slug.hash(of: bytes.span))
        // Slugs that share a counter without the seed do not share one with it.
        var buckets: [UInt64: Int] = [:]
        for number in 0..<20_000 {
            let text = Array(String(number).utf8)
            if Slug.hash(of: text.span) & 15 == 0 {
                buckets[Slug.hash(of: text.span, seed: 0x1234_5678_9abc_def0) & 15, default: 0] += 1
            }
        }
        #expect(buckets.count == 16)
    }
}
