// What leaves a store comes back as it was: the same bytes after export, wiping, import and export.
import SQLiteStore
import Shortening
import Testing

@testable import Transfer

@Suite struct RoundTripTests {
    /// Titles that break careless readers, writers and spreadsheets.
    static let titles = [
        "He said \"hi\", ok\nline 2", "\"", "\"\"", ",", ";", "\t", "\r\n", "\n", "\r", " ", " a ", "=1+1",
        "=cmd|' /C calc'!A0",
        "+1", "-1", "@SUM(A1)", "\t=1", "'", "''", "'=1", "''=1", "'x", "a;=1", "a\t=1", "\u{feff}", "ü😀\u{200d}", "\\",
        "\\n",
        "</script>", "\u{7f}", "\u{1}", "\u{2028}", "null", "a,b;c\td\"e\"", "'''-", "\r=1",
    ]
    static let urls = [
        "https://example.com/?a=1,2&b=%22", "https://example.com/;a;b", "http://example.com", "https://example.com/'\"%22",
        "https://user:pw@example.com:8443/a?b#c", "https://[2001:db8::1]/", "http://192.0.2.1/%C3%BC",
        "https://xn--bcher-kva.example/", "https://example.com/a|b{c}",
    ]

    private func csv(_ cell: String) -> String {
        "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Exports, wipes, imports and exports again.
    private func expectRoundTrip(_ depot: Depot, _ format: TransferFormat, count: Int) throws {
        let first = try depot.give(format)
        try depot.wipe()
        let report = try depot.take(first, format)
        #expect(report.error == nil && report.reasons.isEmpty, "\(report.reasons)")
        #expect(report.summary.added == count)
        #expect(try depot.give(format) == first)
        #expect(try depot.store.verify() == [])
    }

    @Test(arguments: TransferFormat.allCases, ["\n", "\r\n", "\r"])
    func `nasty titles and URLs come back unchanged, whatever the lines end in`(
        _ format: TransferFormat, _ lineEnd: String
    ) throws {
        let depot = try Depot()
        var text = "slug,url,title,clicks,listed" + lineEnd
        for (index, title) in Self.titles.enumerated() {
            // An apostrophe before a sign would be taken away as ours, so such titles are given with one more.
            let given = FormulaGuard.hasApostrophe(title.utf8Span.span) ? "'" + title : title
            text += "-t\(index),\(csv(Self.urls[index % Self.urls.count])),\(csv(given)),\(index),\(index % 2)" + lineEnd
        }
        // Without the last line end.
        text.unicodeScalars.removeLast(lineEnd.unicodeScalars.count)
        let report = try depot.take(text)
        #expect(report.reasons.isEmpty && report.summary.added == Self.titles.count)
        for (index, title) in Self.titles.enumerated() { #expect(try depot.link("-t\(index)")?.title == title) }
        try expectRoundTrip(depot, format, count: Self.titles.count)
        for (index, title) in Self.titles.enumerated() {
            let link = try #require(try depot.link("-t\(index)"))
            #expect(link.title == title)
            #expect(link.clicks == index && link.isListed == (index % 2 == 1))
            let given = try LongURL(Self.urls[index % Self.urls.count], limit: 500)
            #expect(link.longURL == given)
        }
    }

    @Test func `no cell of a CSV export begins like a formula`() throws {
        let depot = try Depot()
        var text = "slug,url,title\n"
        for (index, title) in Self.titles.enumerated() { text += "-t\(index),https://example.com/,\(csv(title))\n" }
        _ = try depot.take(text)
        var reader = CSVParser(separator: UInt8(ascii: ","))
        let bytes = Array(try depot.give().utf8)
        var position = 0
        while try reader.next(in: bytes, from: &position, to: bytes.count) == .row {
            for index in reader.ends.indices {
                let first = reader.text[reader.cell(index)].first ?? 0x20
                #expect(!"=+-@\t\r".utf8.contains(first))
            }
        }
    }

    /// A store's links with all that a link can have.
    private static let everything = [
        #"{"collection":"courses","public":true,"created":"2029-01-01T00:00:00Z"}"#,
        #"{"collection":"empty","public":false,"created":"1969-12-31T23:59:59Z"}"#,
        #"{"slug":"a","url":"https://example.com/1","title":"","description":"Two\nlines \"of\" text","tags":["blue","red"],"#
            + #""created":"2030-01-31T12:00:00Z","clicks":9007199254740993,"listed":true,"owner":"anna, b","#
            + #""expires":"2031-01-01T00:00:00Z","squeezed":true,"collections":[{"name":"courses","position":2},"#
            + #"{"name":"trees","position":-5}],"events":[{"start":"2030-01-01","end":"2030-01-02","instructors":"A, B","#
            + #""location":"Köln"},{"start":"2030-02-01","end":"2030-02-01","instructors":"","location":""}]}"#,
        #"{"slug":"b","url":"https://example.com/2","created":"0001-01-01T00:00:00Z","collections":[{"name":"courses","position":1}]}"#,
        #"{"slug":"c","url":"https://example.com/1","created":"2030-01-31T12:00:00Z","removed":"2030-02-01T00:00:00Z"}"#,
        #"{"slug":"d","url":"https://example.com/1","created":"300000000000","owner":"anna, b"}"#,
    ]

    @Test func `JSON lines hold everything`() throws {
        let depot = try Depot()
        let text = Self.everything.joined(separator: "\n") + "\n"
        let report = try depot.take(text, .jsonl)
        #expect(report.reasons.isEmpty && report.error == nil)
        #expect(report.summary.added == 4)
        let first = try depot.give(.jsonl)
        // A collection that no line made comes to light.
        #expect(first.contains("{\"collection\":\"trees\",\"public\":false,"))
        let lines = first.split(separator: "\n").filter { !$0.contains("\"collection\":\"trees\"") }
        #expect(lines.joined(separator: "\n") + "\n" == text)
        try expectRoundTrip(depot, .jsonl, count: 4)
        #expect(try depot.give(.jsonl) == first)
        let again = try depot.take(first, .jsonl)
        #expect(again.summary.added == 0 && again.summary.alreadyThere == 4)
        #expect(try depot.give(.jsonl) == first)
        let courses = try #require(try depot.store.collection(CollectionName(stored: "courses")))
        #expect(courses.isPublic)
        let members = try depot.store.members(of: courses.id, EventFilter(), after: nil, limit: 10).members
        #expect(members.map(\.slug.text) == ["b", "a"])
    }

    @Test func `a removed link stays removed, and its slug is not generated again`() throws {
        let depot = try Depot()
        _ = try depot.take(Self.everything.joined(separator: "\n"), .jsonl)
        #expect(try depot.link("c") == nil)
        #expect(try !depot.give(.csv).contains("\nc,"))
        // Over a live link a removed one means nothing.
        #expect(
            try depot.take(#"{"slug":"b","url":"https://example.com/x","removed":1}"#, .jsonl).summary.alreadyThere == 1)
        #expect(try depot.link("b") != nil)
        // A live one takes the slug, as an add would.
        #expect(try depot.take(#"{"slug":"c","url":"https://example.com/x"}"#, .jsonl).summary.added == 1)
        #expect(try depot.link("c")?.longURL.text == "https://example.com/x")
    }

    @Test func `an owner's second short URL of one long URL comes as an everyday link`() throws {
        let depot = try Depot()
        let line = { (slug: String) in #"{"slug":"\#(slug)","url":"https://example.com/","owner":"anna","squeezed":true}"# }
        #expect(try depot.take(line("a") + "\n" + line("b"), .jsonl).summary.added == 2)
        let lines = try depot.give(.jsonl).split(separator: "\n")
        #expect(lines.map { $0.contains("squeezed") } == [true, false])
    }

    @Test(arguments: [
        "{", "[]", "1", #"{"slug":"a"}"#, #"{"url":"https://example.com/"}"#,
        #"{"slug":"a","slug":"b","url":"https://example.com/"}"#,
        #"{"slug":"a","url":"https://example.com/",}"#, #"{"slug":"a","url":"https://example.com/"}x"#,
        #"{"slug":"\ud800","url":"https://example.com/"}"#, #"{"slug":"a","url":"https://example.com/","clicks":1.5}"#,
        #"{"slug":"a","url":"https://example.com/","clicks":-1}"#,
        #"{"slug":"a","url":"https://example.com/","created":"now"}"#,
        #"{"slug":"a","url":"https://example.com/","listed":"true"}"#,
        #"{"slug":"a","url":"https://example.com/","tags":["a,b"]}"#,
        #"{"slug":"a","url":"https://example.com/","events":[{"start":"2030-02-30","end":"2030-03-01"}]}"#,
        #"{"slug":"a","url":"https://example.com/","events":[{"start":"2030-03-02","end":"2030-03-01"}]}"#,
        #"{"slug":"a","url":"https://example.com/","collections":["a b"]}"#,
        #"{"collection":"x","url":"https://example.com/"}"#,
        "{\"slug\":\"a\tb\",\"url\":\"https://example.com/\"}", #"{"slug":"a","url":"https://example.com/","clicks":01}"#,
        String(repeating: "[", count: 100_000),
        #"{"slug":"a","url":"https://example.com/","x":"# + String(repeating: "[", count: 1000),
    ])
    func `a bad line is named, and the others are taken`(_ line: String) throws {
        let depot = try Depot()
        let good = #"{"slug":"g1","url":"https://example.com/"}"#
        let report = try depot.take(
            good + "\r\n" + line + "\n\n" + #"{"slug":"g2","url":"https:\/\/example.com\/\u00e4"}"#, .jsonl)
        #expect(report.lines == [2], "\(report.reasons)")
        #expect(report.summary.added == 2)
        #expect(try depot.link("g2")?.longURL.text == "https://example.com/%C3%A4")
    }

    @Test func `unknown keys are named once, and strict does not lose what they say`() throws {
        let depot = try Depot()
        let text = #"{"slug":"a","url":"https://example.com/","note":{"x":[1,2.5e3,"\n",null,true]}}"# + "\n"
        #expect(try depot.take(text, .jsonl, strict: true).error == .refused(rows: 0, unknownNames: ["note"]))
        #expect(try depot.slugs() == [])
        let report = try depot.take(text + text, .jsonl)
        #expect(report.summary.unknownNames == ["note"] && report.summary.added == 1)
    }

    @Test(arguments: [
        (
            #"{"shortCode":"a","longUrl":"https://example.com/"}"#,
            "it has no slug; rename shortCode to slug and longUrl to url."
        ),
        (
            #"{"slug":"a","url":"https://example.com/","visitsCount":1}"#,
            "it has another shortener's keys; rename visitsCount to clicks."
        ),
        (#"{"slug":"a","longUrl":"https://example.com/"}"#, "it has no url; rename longUrl to url."),
        (#"[{"slug":"a","url":"https://example.com/"}]"#, "with no brackets around them and no commas between."),
        (#"{"slug":"a","note":1}"#, "it has no url."),
    ])
    func `a line in another shortener's words is told what to rename`(_ line: String, _ end: String) throws {
        let reason = try Depot().take(line, .jsonl).reasons[1]
        #expect(reason?.hasSuffix(end) == true, "\(reason ?? "")")
    }

    @Test(
        arguments: [
            (1, [], "1 row cannot be stored as it stands, so nothing was stored (--strict)."),
            (2, [], "2 rows cannot be stored as they stand, so nothing was stored (--strict)."),
            (0, ["ip"], "ip is no name that an import knows, so nothing was stored (--strict)."),
            (
                1, ["ip", "note"],
                "1 row cannot be stored as it stands, and ip, note are no names that an import knows, so nothing was stored (--strict)."
            ),
        ] as [(Int, [String], String)])
    func `a strict refusal tells rows from names`(_ rows: Int, _ names: [String], _ message: String) {
        #expect(TransferError.refused(rows: rows, unknownNames: names).message == message)
    }

    @Test func `a line that is too long is one bad row`() throws {
        let depot = try Depot()
        let long =
            #"{"slug":"a","url":"https://example.com/","x":""# + String(repeating: "x", count: JSONLinesReader.lineLimit)
            + "\"}"
        let report = try depot.take(long + "\n" + #"{"slug":"b","url":"https://example.com/"}"#, .jsonl)
        #expect(report.lines == [1] && report.summary.added == 1)
    }
}
