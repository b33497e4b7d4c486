// The demo's content, asked for as the old apps ask: their requests byte for byte.
import Foundation
import HTTP
import SQLiteStore
import Shortening
import SocketClient
import Testing

@testable import Shorty
@testable import Web

@Suite struct DemoTests {
    private static let phone =
        "User-Agent: Shorty/1 CFNetwork/711.1.16 Darwin/14.0.0\r\nAccept: */*\r\nAccept-Language: en-us"
    private static let browser =
        "User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 4_2_1 like Mac OS X) AppleWebKit/533.17.9 (KHTML, like Gecko) "
        + "Mobile/8C148\r\nAccept: text/html,*/*;q=0.8\r\nAccept-Language: en-us"

    private func demo() throws -> RunningSite {
        let site = try RunningSite()
        try DemoContent.fill(site.store, publicURL: "http://s.test", today: try #require(Day("2030-06-15")))
        return site
    }

    private func ask(_ site: RunningSite, _ target: String, _ host: String, _ fields: String, _ more: String = "")
        async throws -> Reply
    {
        let client = try SocketClient(port: site.port)
        await client.send(
            "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\n"
                + "\(more)\r\n")
        var reply = try await client.reply()
        if reply["content-encoding"] == "gzip" { reply.body = try #require(gunzip(reply.body)) }
        return reply
    }

    private func courses(_ site: RunningSite, _ target: String, _ more: String = "") async throws -> Reply {
        try await ask(site, target, "bookapi.bignerdranch.com", Self.phone, more)
    }

    private func flower(_ site: RunningSite, _ target: String) async throws -> Reply {
        try await ask(site, target, "www.floraphotographs.com", Self.browser)
    }

    /// The courses of a listing, after a look at all that the apps rely on.
    private func checked(_ reply: Reply) throws -> [[String: Any]] {
        #expect(reply.status == 200)
        #expect(reply["content-type"]?.hasPrefix("application/json") == true)
        let courses = try #require(try reply.object()["courses"] as? [[String: Any]])
        for course in courses {
            #expect(course["title"] is String)
            #expect((course["url"] as? String)?.hasPrefix("http://s.test/") == true)
            let upcoming = try #require(course["upcoming"] as? [[String: Any]])
            #expect(!upcoming.isEmpty)
            for event in upcoming {
                for name in ["start_date", "end_date"] { #expect((event[name] as? String).flatMap { Day($0) } != nil) }
                for name in ["instructors", "location"] { #expect((event[name] as? String)?.isEmpty == false) }
            }
        }
        return courses
    }

    @Test func `the public feed has a dozen courses around today`() async throws {
        let site = try demo()
        let all = try checked(try await courses(site, "/courses.json"))
        #expect(all.count == 12)
        let days = all.flatMap { $0["upcoming"] as? [[String: String]] ?? [] }.compactMap { $0["start_date"] }
        #expect(days.contains { $0 < "2030-06-15" } && days.contains { $0 > "2030-06-15" })
        #expect(days.allSatisfy { $0 > "2030-05-01" && $0 < "2030-10-15" })
    }

    @Test func `year and month choose from the feed`() async throws {
        let site = try demo()
        #expect(try checked(try await courses(site, "/courses.json?year=2014&month=11")).isEmpty)
        let july = try checked(try await courses(site, "/courses.json?year=2030&month=7"))
        #expect(!july.isEmpty && july.count < 12)
    }

    @Test func `the private feed wants the tutorial's name and password`() async throws {
        let site = try demo()
        let challenged = try await courses(site, "/private/courses.json")
        #expect(challenged.status == 401)
        #expect(challenged["www-authenticate"]?.hasPrefix("Basic realm=") == true)
        #expect(try challenged.json() is [String: Any])
        let right = "Authorization: Basic QmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ==\r\n"
        #expect(try checked(try await courses(site, "/private/courses.json", right)).count == 12)
    }

    @Test func `the apps see their flowers`() async throws {
        let site = try demo()
        let photo = try await flower(site, "/showrandomiphone.php?color=Red&session=4242")
        #expect(photo.status == 302)
        #expect(photo["cache-control"] == "no-store")
        let place = try #require(photo["location"])
        #expect(place.hasPrefix("http://s.test/assets/flowers/"))
        let image = try await site.get(String(place.dropFirst("http://s.test".count)))
        #expect(image["content-type"] == "image/svg+xml")
        let details = try await flower(site, "/detailiphone.php?session=4242")
        #expect(details.status == 200 && details["content-type"]?.hasPrefix("text/html") == true)
        let name = try #require(DemoFlower.all.first { place.hasSuffix("/\($0.name).svg") })
        #expect(name.colour == "red" && details.text.contains(name.title))
        for target in [
            "/showrandomios.php?color=green&session=49999", "/showrandom.php",
            "/showrandomiphone.php?color=Mauve&session=1",
        ] {
            let reply = try await flower(site, target)
            #expect(reply.status == 302 && reply["location"]?.hasPrefix("http://s.test/assets/flowers/") == true)
            #expect(reply["cache-control"] == "no-store")
        }
        let later = try await flower(site, "/detailios.php?session=49999")
        #expect(later.status == 200 && later.text.contains("green"))
    }

    @Test func `every flower is of one of four colours and has its drawing`() async throws {
        let site = try RunningSite()
        #expect(Set(DemoFlower.all.map(\.colour)) == ["red", "blue", "yellow", "green"])
        for flower in DemoFlower.all { #expect(try await site.get("/assets/flowers/\(flower.name).svg").status == 200) }
    }

    @Test func `the public listing is left empty for the visitor`() async throws {
        #expect(try await demo().get("/api-getall").object()["Urls"] as? [String: String] == [:])
    }
}
