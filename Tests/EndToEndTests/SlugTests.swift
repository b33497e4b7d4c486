// Slugs over the wire: which are taken, which are refused, who wins where many want one.
internal import Foundation
internal import Testing

@Suite(.atTheBench) struct SlugTests {
    @Test func `what no path can carry is refused`() throws {
        let daemon = try TestDaemon()
        let slugs = [
            "menu?lang=de", "a#b", "a%b", "a\\\\b", "a/b", "a b", "..", ".", ".a", "a.", "~a", "café", "cafe\\u0301", "🎉",
            "a\\u0000",
            "x.json", "a\\nb", "%61", "a+b", "a,b", "ſ",
        ]
        for slug in slugs {
            let reply = try daemon.post(json: #"{"key":"my_key","url":"https://example.com/","url_slug":"\#(slug)"}"#)
            #expect(reply.outcome == "FAILURE", "\(slug)")
            #expect(reply.status == 201 || reply.status == 400, "\(slug)")
        }
        for target in [
            "/caf%C3%A9", "/caf%c3%a9", "/%F0%9F%8E%89", "/menu?lang=de", "/a%25b", "/a%2fb", "/a%5cb", "/x.json",
        ] {
            #expect(try daemon.get(target).status == 404, "\(target)")
        }
        #expect(try daemon.get("/api-getall").text == #"{"Urls":{},"Status":"SUCCESS"}"#)
    }

    @Test func `what is stored can be visited and removed`() throws {
        let daemon = try TestDaemon()
        for slug in ["report.pdf", "a-b_c~d", "-", "_", "--help", "0", "a..b", "MyUrl"] {
            #expect(try daemon.add(slug, "https://example.com/\(slug)").outcome == "SUCCESS", "\(slug)")
            #expect(try daemon.get("/" + slug).location == "https://example.com/\(slug)")
            let removal = try Program.run(["remove", "--database", daemon.database, "--", slug], in: daemon.folder)
            #expect(removal.isSuccess, "\(removal.errors)")
            _ = try eventually("the end of \(slug)") { try daemon.get("/" + slug).status == 404 ? true : nil }
        }
    }

    @Test func `case matters`() throws {
        let daemon = try TestDaemon()
        #expect(try daemon.add("MyUrl", "https://example.com/1").outcome == "SUCCESS")
        #expect(try daemon.get("/myurl").status == 404)
        #expect(try daemon.add("myurl", "https://example.com/2").outcome == "SUCCESS")
        #expect(try daemon.get("/MyUrl").location == "https://example.com/1")
        #expect(try daemon.get("/myurl").location == "https://example.com/2")
    }

    @Test func `reserved names are taken in any letter case`() throws {
        let daemon = try TestDaemon()
        let names = [
            "api", "admin", "login", "logout", "health", "healthz", "robots.txt", "favicon.ico", "static", ".well-known",
            "metrics",
            "assets", "docs", "rest", "api-add", "api-get", "api-getall", "add", "view", "fileaccess", "index.php",
            "Squeeze.svc",
            "Reporting.svc", "courses.json", "private", "showrandom.php", "showrandomiphone.php", "showrandomios.php",
            "detailiphone.php", "detailios.php",
        ]
        for name in names.flatMap({ [$0, $0.uppercased(), $0.capitalized] }) {
            let reply = try daemon.add(name, "https://example.com/")
            #expect(reply.status == 201)
            #expect(reply.outcome == "Already Exists", "\(name)")
            #expect(reply.json?["Message"]?.contains("reserved") == true, "\(name)")
            let command = try daemon.command("add", "https://example.com/", "--slug", name)
            #expect(command.ending == .exit(1), "\(name)")
            if name == "api" { #expect(command.errors.contains("reserved")) }
        }
        #expect(try daemon.get("/robots.txt").status == 200)
        #expect(try daemon.command("list").output == "")
    }

    @Test func `of many who want one slug exactly one gets it`() throws {
        let daemon = try TestDaemon()
        let outcomes = together(20) { index in try? daemon.add("one", "https://example.com/\(index)") }
        let replies = outcomes.compactMap(\.self)
        #expect(replies.count == 20)
        #expect(replies.allSatisfy { $0.status == 201 })
        #expect(replies.count { $0.outcome == "Already Exists" } == 19)
        let winner = try #require(replies.firstIndex { $0.outcome == "SUCCESS" })
        #expect(try daemon.get("/one").location == "https://example.com/\(winner)")
    }

    @Test func `many generated slugs at once are all different`() throws {
        let daemon = try TestDaemon()
        let slugs = together(8) { thread in
            (0..<25).map { try? daemon.add(nil, "https://example.com/\(thread)-\($0)").json?["Url_Slug"] }
        }
        let all = slugs.flatMap { $0 }.compactMap { $0 ?? nil }
        #expect(all.count == 200)
        #expect(Set(all).count == 200)
        for (thread, index) in [(0, 0), (3, 7), (7, 24)] {
            let slug = try #require(slugs[thread][index] ?? nil)
            #expect(try daemon.get("/" + slug).location == "https://example.com/\(thread)-\(index)")
        }
        #expect(!all.joined().contains { "0Oo1lI".contains($0) })
    }

    @Test func `a removed link is gone at once and its 404 is not kept`() throws {
        let daemon = try TestDaemon()
        let before = try daemon.get("/s")
        #expect(before.status == 404)
        #expect(before["Cache-Control"] == "no-store")
        _ = try daemon.add("s", "https://example.com/")
        // Whoever was told «stored» is never shown the old 404.
        #expect(try daemon.get("/s").status == 302)
        #expect(try daemon.command("remove", "s").isSuccess)
        let gone = try eventually(within: .seconds(2), "the end of the link") {
            let reply = try daemon.get("/s")
            return reply.status == 404 ? reply : nil
        }
        #expect(gone["Cache-Control"] == "no-store")
        #expect(gone.location == nil)
        #expect(try daemon.add("s", "https://example.com/new").outcome == "SUCCESS")
        #expect(try daemon.get("/s").location == "https://example.com/new")
    }
}
