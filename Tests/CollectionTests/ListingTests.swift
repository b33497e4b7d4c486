// Public listings of collections over a real server.
import Foundation
import SQLiteStore
import Shortening
import SocketClient
import Testing

@testable import Web

@Suite struct ListingTests {
    private func courses() throws -> RunningSite {
        let site = try RunningSite()
        try site.link("ios", "https://example.com/ios?a=1&b=2", title: "iOS \"Boot\" <Camp>", tags: ["Swift", "phone"])
        try site.link("web", "https://example.com/web")
        try site.link("past", "https://example.com/past", title: "Past")
        try site.event("ios", "2030-11-03", "2030-11-07", "Ann & Bob", "Rome, IT")
        try site.event("ios", "2030-02-10", "2030-02-14")
        try site.event("past", "2014-11-24", "2014-11-28")
        try site.collect("courses", ["ios", "web", "past"])
        return site
    }

    private func titles(_ reply: Reply) throws -> [String] {
        let rows = try reply.object()["courses"] as? [[String: Any]] ?? []
        return rows.map { $0["title"] as? String ?? "" }
    }

    @Test func `a listing stands under the collection's own name, in order, with everything that it promises`() async throws
    {
        let reply = try await courses().get("/courses.json")
        #expect(reply.status == 200)
        #expect(reply["content-type"] == "application/json")
        #expect(reply["content-length"] != nil, "a short listing has a known length")
        #expect(
            reply.text == """
                {"courses":[\
                {"title":"iOS \\"Boot\\" \\u003cCamp\\u003e","url":"http://s.test/ios",\
                "long_url":"https://example.com/ios?a=1\\u0026b=2","tags":["phone","swift"],"upcoming":[\
                {"start_date":"2030-02-10","end_date":"2030-02-14","instructors":"Ann","location":"Rome"},\
                {"start_date":"2030-11-03","end_date":"2030-11-07","instructors":"Ann \\u0026 Bob","location":"Rome, IT"}]},\
                {"title":"web","url":"http://s.test/web","long_url":"https://example.com/web","tags":[]},\
                {"title":"Past","url":"http://s.test/past","long_url":"https://example.com/past","tags":[],"upcoming":[\
                {"start_date":"2014-11-24","end_date":"2014-11-28","instructors":"Ann","location":"Rome"}]}\
                ]}\n
                """)
        #expect(throws: Never.self) { try reply.object() }
    }

    @Test(arguments: [
        ("", ["iOS \"Boot\" <Camp>", "web", "Past"]), ("?unknown=1&%ff", ["iOS \"Boot\" <Camp>", "web", "Past"]),
        ("?year=&month=", ["iOS \"Boot\" <Camp>", "web", "Past"]), ("?year=2014", ["Past"]),
        ("?year=2014&month=11", ["Past"]), ("?month=11", ["iOS \"Boot\" <Camp>", "Past"]),
        ("?month=02", ["iOS \"Boot\" <Camp>"]),
        ("?year=2030&month=3", []), ("?year=2014&year=2030", ["Past"]),
    ])
    func `year and month leave only members with an event that starts then`(query: String, wanted: [String]) async throws {
        let reply = try await courses().get("/courses.json" + query)
        #expect(reply.status == 200)
        #expect(try titles(reply) == wanted)
    }

    @Test func `a filtered listing shows only the events that match`() async throws {
        let rows = try await courses().get("/courses.json?year=2030&month=11").object()["courses"] as? [[String: Any]]
        let upcoming = rows?[0]["upcoming"] as? [[String: String]]
        #expect(upcoming?.map { $0["start_date"] } == ["2030-11-03"])
    }

    @Test(arguments: ["?year=x", "?month=0", "?month=13", "?year=-1", "?year=99999", "?month=1.5", "?year=%D9%A3"])
    func `a year or month that is none is refused with a JSON object`(query: String) async throws {
        let reply = try await courses().get("/courses.json" + query)
        #expect(reply.status == 400)
        #expect(try reply.object()["courses"] == nil && !reply.object().isEmpty)
    }

    @Test(arguments: ["/none.json", "/Courses.json", "/hidden.json", "/.json", "/a%2Fb.json", "/courses.JSON", "/-.json/x"])
    func `what is no public collection is 404`(path: String) async throws {
        let site = try courses()
        try site.collect("hidden", isPublic: false, ["ios"])
        let reply = try await site.get(path)
        #expect(reply.status == 404)
        #expect(!reply.text.contains("iOS"))
        if path.hasSuffix(".json"), path != "/.json" {
            #expect(try reply.object()["courses"] == nil && !reply.object().isEmpty)
        }
    }

    @Test func `only GET, HEAD and OPTIONS are taken, and HEAD has GET's head`() async throws {
        let site = try courses()
        let post = try await site.get("/courses.json", "Content-Length: 0", method: "POST")
        #expect(post.status == 405)
        #expect(post["allow"] == "GET, HEAD, OPTIONS")
        let (get, head) = (try await site.get("/courses.json"), try await site.get("/courses.json", method: "HEAD"))
        #expect(head.status == 200)
        for name in ["etag", "content-length", "content-type", "vary"] { #expect(head[name] == get[name]) }
    }

    @Test func `an empty collection is an empty array`() async throws {
        let site = try RunningSite()
        try site.collect("nothing")
        #expect(try await site.get("/nothing.json").text == "{\"nothing\":[]}\n")
    }

    @Test func `a listing of many pages is streamed and whole, plain and compressed, on one connection`() async throws {
        let site = try RunningSite()
        let slugs = (0..<900).map { "s\($0)" }
        for slug in slugs { try site.link(slug) }
        try site.collect("many", slugs)
        let client = try SocketClient(port: site.port)
        await client.send("GET /many.json HTTP/1.1\r\nHost: s.test\r\n\r\n")
        let plain = try await client.reply()
        #expect(plain["transfer-encoding"] == "chunked")
        let rows = try plain.object()["many"] as? [[String: Any]]
        #expect(rows?.map { $0["title"] as? String } == slugs)
        await client.send("GET /many.json HTTP/1.1\r\nHost: s.test\r\nAccept-Encoding: gzip, deflate\r\n\r\n")
        let packed = try await client.reply()
        #expect(packed["content-encoding"] == "gzip")
        #expect(packed.body.count * 4 < plain.body.count)
        #expect(gunzip(packed.body) == plain.body)
        await client.send("GET /many.json HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try await client.reply()["connection"] == "close")
    }

    @Test func `members that come and go while a listing is read leave it whole`() async throws {
        let site = try RunningSite()
        let slugs = (0..<600).map { "s\($0)" }
        for slug in slugs { try site.link(slug) }
        try site.collect("many", slugs)
        var listing = CollectionListing(
            site.services, try #require(try site.store.collection(CollectionName(stored: "many"))), EventFilter(),
            encoder: nil)
        var bytes = try listing.page()
        // The first page is read: what goes behind it is missed, what goes inside it was seen.
        for slug in ["s0", "s300", "s599"] { _ = try site.store.remove(Slug(stored: slug)) }
        try site.link("late")
        _ = try site.store.addMember(Slug(stored: "late"), to: CollectionName(stored: "many"))
        while !listing.isDone { bytes += try listing.page() }
        let rows = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: [[String: Any]]]
        #expect(rows?["many"]?.map { $0["title"] as? String } == slugs.filter { $0 != "s300" && $0 != "s599" } + ["late"])
    }
}
