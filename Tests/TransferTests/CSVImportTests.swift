// What files people have, and what is wrong with them.
import Foundation
import SQLiteStore
import Shortening
import Testing

@testable import Transfer

@Suite struct CSVImportTests {
    @Test(arguments: [
        "\u{feff}slug,url\na,https://example.com/1\nb,https://example.com/2\n",
        "\u{feff}\"slug\",\"url\"\r\na,https://example.com/1\r\nb,https://example.com/2",
        "slug;url\na;https://example.com/1\nb;https://example.com/2\n",
        "slug\turl\r\na\thttps://example.com/1\r\nb\thttps://example.com/2\r\n",
        "URL,Slug\nhttps://example.com/1,a\nhttps://example.com/2,b\n",
        " Title ; uRL ;SLUG\n;https://example.com/1;a\n;https://example.com/2;b\n\n\r\n",
        "slug,url\ra,https://example.com/1\rb,https://example.com/2\r",
        "slug,url\na,https://example.com/1,\nb,https://example.com/2,,\n",
    ])
    func `a mark, any separator, any order and any letter case of the header are taken`(_ text: String) throws {
        let depot = try Depot()
        let report = try depot.take(text)
        #expect(report.summary.added == 2 && report.summary.bad == 0 && report.error == nil)
        #expect(try depot.slugs() == ["a", "b"])
        #expect(try depot.link("b")?.longURL.text == "https://example.com/2")
    }

    @Test(arguments: [
        "a,https://example.com/1\nb,https://example.com/2\n", "slug\na\n", "slug,target\na,https://example.com/\n", "",
        "\n",
        "slug,url,SLUG\na,https://example.com/,b\n", "slug,\"url\na,https://example.com/\n",
    ])
    func `a file without a header that names slug and url is refused with a word about it`(_ text: String) throws {
        let depot = try Depot()
        let report = try depot.take(text)
        #expect(report.error?.message.contains("header") == true, "\(report.error?.message ?? "")")
        #expect(try depot.slugs() == [])
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func `UTF-16 and UTF-32 are refused by name`(_ encoding: String.Encoding) throws {
        let depot = try Depot()
        let bytes = try #require("slug,url\na,https://example.com/1\n".data(using: encoding))
        for format in TransferFormat.allCases {
            let report = try depot.take(Array(bytes), format)
            #expect(report.error?.message.contains("UTF-16") == true)
        }
        #expect(try depot.slugs() == [])
    }

    @Test(arguments: [
        ("keyword,url,title", "no column slug: \"keyword,url,title\". Rename keyword to slug."),
        ("keyword,url,timestamp,ip,clicks", "Rename keyword to slug and timestamp to created."),
        ("shortCode,longUrl", "Rename shortCode to slug and longUrl to url."), ("slug,longUrl", "Rename longUrl to url."),
        ("slug,url,Timestamp,ip,visits", "names. Rename Timestamp to created and visits to clicks; a column that is"),
        ("slug,url,createdAt,timestamp", "Rename createdAt to created;"),
        ("slug;long_url", "Rename long_url to url."), ("name,url", "\"name,url\". Known are slug"),
    ])
    func `a header in another shortener's words is told what to rename`(_ header: String, _ words: String) throws {
        let depot = try Depot()
        let message = try depot.take(header + "\na,https://example.com/,,,\n").error?.message
        #expect(message?.contains(words) == true, "\(message ?? "")")
        #expect(try depot.slugs() == [])
    }

    @Test func `a column of another shortener's name beside the one that it means is left out and named`() throws {
        let report = try Depot().take("slug,url,created,timestamp\na,https://example.com/,2030-01-31,2020-01-01\n")
        #expect(report.summary.added == 1 && report.summary.unknownNames == ["timestamp"])
    }

    @Test func `a cell that is refused is shown`() throws {
        let depot = try Depot()
        let report = try depot.take(
            "slug,url,created,clicks,listed,ip\na,https://example.com/,yesterday\u{7},,,\nb,https://example.com/,,1.5,,\n"
                + "c,https://example.com/,,,maybe,\n")
        #expect(report.reasons[2]?.hasPrefix("The cell created is no time: \"yesterday\u{fffd}\".") == true)
        #expect(report.reasons[3] == "The cell clicks is no whole number: \"1.5\".")
        #expect(report.reasons[4] == "The cell listed is neither true nor false: \"maybe\".")
        #expect(report.summary.unknownNames == ["ip"])
    }

    @Test func `compressed files and spreadsheets are told apart from text`() throws {
        let depot = try Depot()
        for format in TransferFormat.allCases {
            let message = try depot.take([0x1f, 0x8b, 8, 1, 2, 10], format).error?.message
            #expect(message?.contains("`gunzip -c FILE | shorty import --format \(format.rawValue) -`") == true)
        }
        #expect(try depot.take([0x50, 0x4b, 3, 4, 10, 1]).error?.message.contains("spreadsheet") == true)
    }

    /// A thousand rows, six of them not as they should be.
    static let thousand: String = {
        var rows = (1...1000).map { "r\($0),https://example.com/\($0)" }
        rows[499] = "r500,no scheme"
        rows[500] = "r501,javascript:alert(1)"
        rows[501] = "taken,https://example.com/mine"
        rows[502] = rows[0]
        rows[503] = "r504"
        rows[504] = ""
        return (["slug,url"] + rows).joined(separator: "\r\n") + "\r\n"
    }()

    @Test func `good rows go in, each other one is named with its line and its reason, and a second run adds nothing`()
        throws
    {
        let depot = try Depot()
        _ = try depot.take("slug,url\ntaken,https://example.com/theirs\n")
        let first = try depot.take(Self.thousand)
        #expect(first.summary.added == 994)
        #expect(first.summary.bad == 5)
        #expect(first.summary.repeated == 1)
        #expect(first.lines == [501, 502, 503, 504, 505, 506])
        #expect(first.reasons[501]?.contains("scheme") == true)
        #expect(first.reasons[502]?.contains("javascript") == true)
        #expect(first.reasons[503]?.contains("taken") == true)
        #expect(first.reasons[504]?.contains("\"r1\"") == true)
        #expect(first.reasons[505]?.contains("1 cell") == true)
        #expect(first.reasons[506]?.contains("empty") == true)
        #expect(try depot.link("taken")?.longURL.text == "https://example.com/theirs")
        #expect(try depot.slugs().prefix(3) == ["taken", "r1", "r2"], "a small import keeps the input's order")
        let before = try depot.give(.jsonl)
        let second = try depot.take(Self.thousand)
        #expect(second.summary.added == 0)
        #expect(second.summary.alreadyThere == 995)
        #expect(second.summary.bad == 5)
        #expect(second.lines == [501, 502, 503, 505, 506])
        #expect(try depot.give(.jsonl) == before)
    }

    @Test func `rows of empty cells below the data are no rows, and between rows they are empty lines`() throws {
        let depot = try Depot()
        let outcome = try depot.take("slug,url,title\na,https://example.com/a,\n,,\n,,\nb,https://example.com/b,\n,,\n,,\n")
        #expect(outcome.summary.added == 2 && outcome.summary.bad == 1)
        #expect(outcome.lines == [3])
        #expect(outcome.reasons[3]?.contains("empty") == true)
    }

    @Test func `a strict import of bad rows stores nothing`() throws {
        let depot = try Depot()
        _ = try depot.take("slug,url\ntaken,https://example.com/theirs\n")
        let before = try depot.give(.jsonl)
        let report = try depot.take(Self.thousand, strict: true)
        #expect(report.error == .refused(rows: 5, unknownNames: []))
        #expect(report.lines == [501, 502, 503, 505, 506])
        #expect(report.summary.added == 0)
        #expect(try depot.give(.jsonl) == before)
        for text in [
            "slug,url\na,https://example.com/1\ntaken,https://example.com/2\n",
            "slug,url\na,https://example.com/1\nb,https://example.com/2\na,https://example.com/3\n",
            "slug,url,owner\na,https://example.com/1,x\n", "slug,url\na,https://example.com/1\n\"b,https://example.com/\n",
        ] {
            #expect(try depot.take(text, strict: true).error != nil, "\(text)")
            #expect(try depot.give(.jsonl) == before)
        }
    }

    @Test func `a strict import of good rows stores them all, and those of before are no fault`() throws {
        let depot = try Depot()
        let text = "slug,url\na,https://example.com/1\nb,https://example.com/2\n"
        #expect(try depot.take(text, strict: true).summary.added == 2)
        let again = try depot.take(text + "c,https://example.com/3\na,https://example.com/1\n", strict: true)
        #expect(again.error == nil)
        #expect(again.summary.added == 1 && again.summary.alreadyThere == 3)
    }

    @Test func `all columns are read, and unknown ones are named`() throws {
        let depot = try Depot()
        let report = try depot.take(
            """
            slug,note,url,title,tags,created,clicks,listed,collection
            a,x,https://example.com/1,"One, two",Swift; ,2030-01-31T12:00:00Z,7,yes,
            b,,https://example.com/2,,"red, green,,red",2030-01-31,0,FALSE,flowers
            c,,https://example.com/3,,,,,,"flowers,trees"
            d,,https://example.com/4,,,yesterday,,,
            e,,https://example.com/5,,,,-1,,
            f,,https://example.com/6,,,,,perhaps,
            g,,https://example.com/7,,,,,,a b
            """)
        #expect(report.summary.added == 3 && report.lines == [5, 6, 7, 8])
        #expect(report.summary.unknownNames == ["note"])
        let a = try #require(try depot.link("a"))
        #expect(a.title == "One, two" && a.created == 1_896_091_200 && a.clicks == 7 && a.isListed)
        let b = try #require(try depot.link("b"))
        #expect(b.title == nil && b.created == 1_896_048_000 && b.clicks == 0 && !b.isListed)
        #expect(try depot.link("c")?.created == Depot.now)
        let csv = try depot.give()
        #expect(csv.contains("\r\nb,https://example.com/2,,\"green,red\",2030-01-31T00:00:00Z,0,false,flowers\r\n"))
        #expect(csv.contains(",0,false,\"flowers,trees\"\r\n"))
        let flowers = try #require(try depot.store.collection(CollectionName(stored: "flowers")))
        #expect(!flowers.isPublic, "publishing is its owner's decision")
        let members = try depot.store.members(of: flowers.id, EventFilter(), after: nil, limit: 10).members
        #expect(members.map(\.slug.text) == ["b", "c"])
    }

    @Test func `import decides as adding does`() throws {
        let depot = try Depot()
        let report = try depot.take(
            """
            slug,url,title
            api-add,https://example.com/,
            API,https://example.com/,
            a b,https://example.com/,
            x.json,https://example.com/,
            \(String(repeating: "x", count: 46)),https://example.com/,
            own,https://S.example/a,
            port,https://s.example:443/a,
            long,https://example.com/\(String(repeating: "x", count: 481)),
            titled,https://example.com/,\(String(repeating: "t", count: 501))
            ,https://example.com/,
            fits,https://example.com/\(String(repeating: "x", count: 480)),\(String(repeating: "ü", count: 500))
            idn,https://bücher.example/ü,
            """)
        #expect(report.lines == Array(2...11))
        #expect(try depot.slugs() == ["fits", "idn"])
        #expect(try depot.link("idn")?.longURL.text == "https://xn--bcher-kva.example/%C3%BC")
    }

    @Test func `bytes that are no UTF-8 spoil their row only`() throws {
        let depot = try Depot()
        let bad =
            Array("slug,url,title\na,https://example.com/,".utf8) + [0xfc] + Array("\nb,https://example.com/,ok\n".utf8)
        let report = try depot.take(bad)
        #expect(report.lines == [2] && report.summary.added == 1)
    }

    @Test func `a removed slug can come again, and its visits stay behind`() throws {
        let depot = try Depot()
        _ = try depot.take("slug,url,clicks\na,https://example.com/1,5\n")
        #expect(try depot.store.remove(Slug(stored: "a")))
        #expect(try depot.take("slug,url\na,https://example.com/2\n").summary.added == 1)
        #expect(try depot.link("a")?.longURL.text == "https://example.com/2")
        #expect(try depot.link("a")?.clicks == 0)
    }
}
