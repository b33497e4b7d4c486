// The report of an account's links: what is in it, how it is paged, and what it counts.
import Foundation
import Testing

@Suite struct ReportTests {
    @Test func `it lists what the account has squeezed, oldest first, with its visits`() throws {
        let service = try LiveService()
        let urls = (1...3).map { "http://example.com/?a=\($0)&b=%22%3C" }
        let slugs = try urls.map { try String(service.squeeze($0).text.dropFirst("http://s.test/".count)) }
        try service.makeKey("other", account: "bob")
        _ = try service.squeeze("http://bob.example/", key: "other")
        for _ in 0..<4 { _ = try service.get("/" + slugs[1]) }
        _ = try service.send(Client.phone.request("HEAD", "/" + slugs[0]))
        _ = try service.get("/\(slugs[2])/")

        // Visits reach the store once a second.
        let deadline = Date.now.addingTimeInterval(5)
        var rows = try service.report()
        while rows.map(\.TotalClicks) != [0, 4, 1], Date.now < deadline {
            usleep(50_000)
            rows = try service.report()
        }
        #expect(rows.map(\.TotalClicks) == [0, 4, 1])
        #expect(rows.map(\.Encoded) == slugs)
        #expect(rows.map(\.Url) == urls)
        #expect(try service.report(key: "other").map(\.Url) == ["http://bob.example/"])
    }

    @Test func `an answer is an object with the one array`() throws {
        let service = try LiveService()
        let reply = try service.get("/reporting.svc/MAPS/\(LiveService.key)?p=1&s=255")
        #expect(reply.text == "{\"GetMapsResult\":[]}")
        #expect(reply.fields["content-type"] == "application/json")
        #expect(reply.fields["cache-control"] == "no-store")
    }

    @Test func `pages follow each other without a gap, and end`() throws {
        let service = try LiveService()
        let urls = (0..<10).map { "http://example.com/\($0)" }
        for url in urls { _ = try service.squeeze(url) }
        for size in [1, 3, 5, 10, 11, 1000] {
            let pages = (urls.count + size - 1) / size
            var seen: [String] = []
            for page in 1...pages { seen += try service.report("p=\(page)&s=\(size)").map(\.Url) }
            #expect(seen == urls, "pages of \(size)")
            #expect(try service.report("s=\(size)&p=\(pages + 1)").isEmpty)
        }
        #expect(try service.report("").map(\.Url) == urls)
        #expect(try service.report("p=1000000000&s=1000").isEmpty)
    }

    @Test(arguments: [
        "p=0", "p=-1", "p=x", "p=", "p=1000000001", "p=99999999999999999999", "s=0", "s=1001", "s=1.5", "p=%FF",
    ])
    func `a page that is none is 400`(query: String) throws {
        let service = try LiveService()
        let reply = try service.get("/Reporting.svc/maps/\(LiveService.key)?\(query)")
        #expect(reply.status == 400)
        #expect(reply.text.hasPrefix("ERROR 400: "))
    }
}
