// Random members and what was drawn for a session, over a real server.
import Foundation
import SQLiteStore
import Shortening
import SocketClient
import Testing

@testable import Web

@Suite struct FlowerTests {
    private static let urls = ["rose": "https://img.example/rose.svg", "iris": "https://img.example/iris.svg"]

    private func garden(
        aliases: [CollectionAlias] = CollectionAlias.flowers, detailWait: Duration = .seconds(2)
    ) throws -> RunningSite {
        let site = try RunningSite(aliases: aliases, detailWait: detailWait)
        try site.link("rose", "https://img.example/rose.svg", title: "Rose <wild>", tags: ["red"])
        try site.link("iris", "https://img.example/iris.svg", tags: ["blue"])
        _ = try site.store.setDescription("Seen & drawn", of: Slug(stored: "rose"))
        try site.collect("flowers", ["rose", "iris"])
        return site
    }

    private func drawn(_ site: RunningSite, _ target: String) async throws -> String? {
        let reply = try await site.get(target)
        return reply.status == 302 ? reply["location"] : nil
    }

    @Test(arguments: [
        "/showrandom.php?color=red", "/showrandomiphone.php?color=Red&session=1",
        "/showrandomios.php?session=49999&color=RED",
        "/flowers/random?tag=red", "/flowers/random?tag=+RED%20&session=x", "/showrandom.php?color=red&color=blue",
    ])
    func `a tag finds only its flowers, in any letter case`(target: String) async throws {
        let site = try garden()
        for _ in 0..<8 {
            let reply = try await site.get(target)
            #expect(reply.status == 302)
            #expect(reply["location"] == Self.urls["rose"])
            #expect(reply["cache-control"] == "no-store")
            #expect(reply.body.isEmpty)
        }
    }

    @Test(arguments: [
        "/showrandom.php", "/showrandom.php?color=", "/showrandomiphone.php?color=Mauve&session=1", "/flowers/random",
        "/showrandomios.php?session=7", "/flowers/random?color=red", "/flowers/random?tag=%ff", "/showrandom.php?color=a,b",
    ])
    func `without a tag that is known any flower comes`(target: String) async throws {
        let site = try garden()
        var seen: Set<String> = []
        for _ in 0..<50 { seen.insert(try #require(try await drawn(site, target))) }
        #expect(seen == Set(Self.urls.values))
    }

    @Test(arguments: [
        "/none/random", "/hidden/random", "/empty/random", "/none/detail", "/hidden/detail?session=1", "/a%20b/random",
    ])
    func `what is no public collection with members is 404`(target: String) async throws {
        let site = try garden()
        try site.collect("hidden", isPublic: false, ["rose"])
        try site.collect("empty")
        let reply = try await site.get(target)
        #expect(reply.status == 404)
        #expect(reply["location"] == nil)
    }

    @Test func `a draw counts as a visit of its link, a HEAD does not`() async throws {
        let site = try garden()
        for _ in 0..<3 { _ = try await site.get("/showrandom.php?color=red") }
        let head = try await site.get("/showrandom.php?color=red", method: "HEAD")
        #expect(head.status == 302 && head["location"] == Self.urls["rose"])
        let clicks = site.shortener.cache.drainClicks()
        #expect(clicks.map(\.visits) == [3])
        #expect(try clicks.map(\.link) == [site.store.link(Slug(stored: "rose"))?.id])
    }

    @Test(arguments: [
        ("/showrandomiphone.php?color=Red&session=4242", "/detailiphone.php?session=4242"),
        ("/showrandomiphone.php?color=Red&session=4242", "/detailiphone.php?sessionID=4242&color=Blue"),
        ("/showrandomiphone.php?color=Red&seesion=4242", "/detailios.php?session=4242"),
        ("/flowers/random?tag=red&session=a%20b", "/flowers/detail?session=a+b"),
    ])
    func `the details of a session are those of its flower`(photo: String, details: String) async throws {
        let site = try garden()
        _ = try await site.get(photo)
        let reply = try await site.get(details)
        #expect(reply.status == 200)
        #expect(reply["content-type"] == "text/html; charset=utf-8")
        #expect(reply["cache-control"] == "no-store")
        #expect(reply.text.contains("<h1>Rose &lt;wild&gt;</h1>"))
        #expect(reply.text.contains("<p class=\"tags\">red</p>"))
        #expect(reply.text.contains("Seen &amp; drawn"))
        #expect(try await site.get(details).text == reply.text, "asked again, it is the same")
    }

    @Test func `the last flower of a session counts, and sessions of two collections are two`() async throws {
        let site = try garden()
        try site.collect("others", ["iris"])
        _ = try await site.get("/flowers/random?tag=blue&session=1")
        _ = try await site.get("/flowers/random?tag=red&session=1")
        _ = try await site.get("/others/random?session=1")
        #expect(try await site.get("/flowers/detail?session=1").text.contains("Rose"))
        #expect(try await site.get("/others/detail?session=1").text.contains("iris"))
    }

    @Test func `details that are asked for before the flower wait for it, and hold up nobody`() async throws {
        // Long, so that only the flower can end the wait, however slow the machine is.
        let site = try garden(detailWait: .seconds(60))
        let early = try SocketClient(port: site.port)
        await early.send("GET /detailiphone.php?session=4243 HTTP/1.1\r\nHost: s.test\r\n\r\n")
        #expect(await early.isQuiet(for: 300))
        for _ in 0..<10 { #expect(try await site.get("/rose").status == 302) }
        _ = try await site.get("/showrandomiphone.php?color=Red&session=4243")
        let reply = try await early.reply()
        #expect(reply.status == 200 && reply.text.contains("Rose"))
    }

    @Test func `details of a flower that never comes are neutral after the wait, without a session at once`() async throws {
        #expect(WebOptions().detailWait == .seconds(2))
        let patient = try await garden(detailWait: .seconds(60)).get("/detailios.php")
        let (site, start) = (try garden(detailWait: .milliseconds(300)), ContinuousClock.now)
        let late = try await site.get("/detailios.php?session=9")
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        for reply in [patient, late] {
            #expect(reply.status == 200 && reply["content-type"]?.hasPrefix("text/html") == true)
            #expect(reply.text.contains("No picture"))
        }
    }

    @Test func `a removed link has no details`() async throws {
        let site = try garden()
        _ = try await site.get("/flowers/random?tag=red&session=1")
        _ = try site.store.remove(Slug(stored: "rose"))
        #expect(try await site.get("/flowers/detail?session=1").text.contains("No picture"))
        #expect(try await drawn(site, "/flowers/random?tag=red") == Self.urls["iris"])
    }

    @Test func `the page of details leaves its background open`() async throws {
        let site = try garden()
        _ = try await site.get("/flowers/random?tag=red&session=1")
        #expect(try await site.get("/flowers/detail?session=1").text.contains("href=\"/assets/overlay.css\""))
        let sheet = try await site.get("/assets/overlay.css")
        #expect(sheet["content-type"] == "text/css; charset=utf-8")
        #expect(sheet.text.contains("background: transparent"))
    }

    @Test func `aliases are a setting, and no slug may take their names`() async throws {
        var alias = CollectionAlias("/photo.cgi", of: CollectionName(stored: "flowers"), .random)
        alias.tagNames = ["hue"]
        let site = try garden(aliases: [alias])
        #expect(try await drawn(site, "/photo.cgi?hue=red") == Self.urls["rose"])
        #expect(try await site.get("/showrandom.php").status == 404)
        let reserved = SiteMap(aliases: [alias]).reservedNames
        for name in ["Photo.CGI", "showRandom.php", "detailios.php", "private", "assets"] {
            #expect(reserved.contains(name))
        }
        #expect(!reserved.contains("flowers") && !reserved.contains("random"))
    }

    @Test func `a link may have the name of a collection`() async throws {
        let site = try garden()
        try site.link("flowers", "https://example.com/garden")
        #expect(try await drawn(site, "/flowers") == "https://example.com/garden")
        #expect(try await drawn(site, "/flowers/") == "https://example.com/garden")
        #expect(try await site.get("/flowers.json").status == 200)
        #expect(try await drawn(site, "/flowers/random?tag=red") == Self.urls["rose"])
    }

    @Test(arguments: ["poppy", "forget-me-not"])
    func `the drawings are served as what they are`(name: String) async throws {
        let reply = try await RunningSite().get("/assets/flowers/\(name).svg")
        #expect(reply.status == 200)
        #expect(reply["content-type"] == "image/svg+xml")
        #expect(reply.text.hasPrefix("<svg ") && reply.text.hasSuffix("</svg>\n"))
        #expect(try await RunningSite().get("/assets/flowers/\(name)x.svg").status == 404)
    }
}
