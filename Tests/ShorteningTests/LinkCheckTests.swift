import Foundation
import Testing

@testable import Shortening

/// The quick way has to decide as the long one does, whatever comes.
struct LinkCheckTests {
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
        "http", "https", "HTTPS", ":", "//", "/", "\\", "?", "#", "@", "[", "]", "1", "0x7f", ".", "..", "%2e", "%", "%4",
        "%zz",
        "%C3%BC", "ü", "xn--", "XN--", "n3h", "a", "Example", ".com", "-", "_", "~", "'", "\"", "<", "^", "`", "{", "|",
        " ",
        "\t", "\n", "\0", "\u{7f}", "\u{ad}", ":80", "1.2.3.4", "user:pw@", "&", "=", "+", ",", ";", "s.example",
        "S.Example",
    ]

    private static let standardCases: [String] = {
        struct Fixture: Decodable { let cases: [[String?]] }
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Fixtures/url-standard.json")
        guard let data = try? Data(contentsOf: file), let fixture = try? JSONDecoder().decode(Fixture.self, from: data)
        else {
            return []
        }
        return fixture.cases.compactMap { $0[0] }
    }()

    /// URLs made of pieces, most of which have a chance to be plain.
    private static func randomURLs(_ seed: UInt64, _ count: Int) -> [String] {
        var random = Random(state: seed)
        return (0..<count).map { _ in
            let start =
                ["http://", "https://", "https://a.b", "http://example.com/", "https://s.example", "x"]
                .randomElement(using: &random) ?? ""
            return (0..<Int.random(in: 0...7, using: &random)).reduce(start) { text, _ in
                text + (pieces.randomElement(using: &random) ?? "")
            }
        }
    }

    @Test func `a plain URL is one that the long way accepts and keeps`() throws {
        #expect(Self.standardCases.count > 500)
        var plain = 0
        for text in Self.standardCases + Self.randomURLs(77, 15_000) {
            let bytes = Array(text.utf8)
            guard let host = LongURL.plainHost(in: bytes.span) else { continue }
            plain += 1
            let record = try URLRecord(parsing: URLRecord.cleaned(bytes))
            #expect(URLRecord.cleaned(bytes) == bytes && URISyntax.isWellFormed(bytes), "\(text.debugDescription)")
            #expect(record.host.serialized == bytes[host].map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 })
            #expect(record.port == nil && record.userinfo.isEmpty)
        }
        #expect(plain > 800, "the quick way is taken")
    }

    @Test(arguments: [
        "https://s.example", "http://s.example:8080", "http://localhost:8080", "http://[::1]:80", "https://1.2.3.4",
    ])
    func `links are judged as every add judges them`(_ publicURL: String) throws {
        let reserved = ReservedNames(["api-add", "x"])
        let rules = ShorteningRules(
            reserved: reserved, generator: SlugGenerator(length: 6, reserved: reserved), publicURL: publicURL)
        let check = LinkCheck(rules)
        let own = ["/a", "", "?x", ":80/", ":443/", ":8080", ".", "/%zz"].flatMap { tail in
            ["https://s.example", "HTTP://S.example", "http://localhost", "http://[0:0::1]", "https://1.2.3.4"].map {
                $0 + tail
            }
        }
        for text in Self.standardCases + own + Self.randomURLs(9, 1_500) {
            let expected = Result { try Self.judge(text, rules) }
            let bytes = Array(text.utf8)
            let found = Result { try check.checkLongURL(bytes.span)?.text ?? text }
            #expect(Self.word(found) == Self.word(expected), "\(text.debugDescription)")
        }
    }

    private static func judge(_ text: String, _ rules: ShorteningRules) throws(AddError) -> String {
        let url: LongURL
        do throws(LongURLError) { url = try LongURL(text, limit: rules.urlLimit) } catch { throw .longURL(error) }
        let isOwn = url.leads(to: LongURL(stored: rules.publicURL + "/"))
        if isOwn != rules.isOwn(url) { Issue.record("quickly \(!isOwn), thoroughly \(isOwn): \(text.debugDescription)") }
        if isOwn { throw .ownURL(rules.publicURL) }
        return url.text
    }

    private static func word(_ result: Result<String, any Error>) -> String {
        switch result {
        case .success(let text): "ok " + text
        case .failure(let error): "no " + ((error as? AddError)?.message ?? "\(error)")
        }
    }

    @Test func `slugs are judged as every add judges them`() {
        let reserved = ReservedNames(["api-add", "x", "Squeeze.svc"])
        let rules = ShorteningRules(
            reserved: reserved, generator: SlugGenerator(length: 6, reserved: reserved), publicURL: "https://s.example")
        let check = LinkCheck(rules)
        var random = Random(state: 4)
        let pieces = [
            "a", "B", "9", "-", "_", ".", "~", ".json", "ü", " ", "/", "api", "-ADD", "squeeze.SVC", "X", "\0", "K",
        ]
        for _ in 0..<8_000 {
            let text = (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
            let expected = Result { () throws(SlugError) in try Slug(text, limit: 45, reserved: reserved).text }
                .mapError { $0 as any Error }
            let found = Result { try check.checkSlug(text.utf8Span.span) }.map { text }
            let isSame: Bool =
                switch (expected, found) {
                case (.success, .success): true
                case (.failure(let left), .failure(let right)):
                    (left as? SlugError)?.message == (right as? AddError)?.message
                default: false
                }
            #expect(isSame, "\(text.debugDescription)")
        }
    }

    @Test func `a title's fault is named`() throws {
        #expect(TitleError.tooLong(length: 501).message == "The title has 501 characters; at most 500 are allowed.")
        #expect(throws: TitleError.tooLong(length: 502)) {
            try TitleError.check(Array(String(repeating: "e\u{301}", count: 251).utf8).span)
        }
        #expect(throws: TitleError.hasNUL) { try TitleError.check([0x61, 0].span) }
        #expect(throws: TitleError.notUTF8) { try TitleError.check([0x61, 0xff].span) }
    }

    @Test func `titles have at most 500 characters and no NUL`() {
        let reserved = ReservedNames([])
        let check = LinkCheck(
            ShorteningRules(
                reserved: reserved, generator: SlugGenerator(length: 6, reserved: reserved), publicURL: "https://s.example")
        )
        let accepts = { (bytes: [UInt8]) in (try? check.checkTitle(bytes.span)) != nil }
        #expect(accepts([]))
        #expect(accepts(Array(String(repeating: "😀", count: 500).utf8)))
        #expect(!accepts(Array(String(repeating: "e\u{301}", count: 251).utf8)))
        #expect(!accepts([0]))
        #expect(!accepts([0xff]))
    }
}
