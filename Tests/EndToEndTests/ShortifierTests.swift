// The first thing anybody does with Shorty, with the answers that the old clients were written for.
internal import Foundation
internal import Testing

@Suite(.atTheBench) struct ShortifierTests {
    @Test func `an added link is followed`() throws {
        let daemon = try TestDaemon()
        let added = try daemon.add("talk", "https://example.com/p?q=1")
        #expect(added.status == 201)
        #expect(added.text == #"{"Status":"SUCCESS"}"#)
        #expect(added["Content-Type"] == "application/json")
        let followed = try daemon.get("/talk")
        #expect(followed.status == 302)
        #expect(followed.location == "https://example.com/p?q=1")
        #expect(followed["Cache-Control"] == "no-store")
        #expect(followed["Content-Length"] == "0")
        #expect(try daemon.stop() == .exit(0))
    }

    @Test func `a taken slug keeps its long URL`() throws {
        let daemon = try TestDaemon()
        #expect(try daemon.add("talk", "https://example.com/1").outcome == "SUCCESS")
        for url in ["https://example.com/1", "https://example.com/2"] {
            let again = try daemon.add("talk", url)
            #expect(again.status == 201)
            #expect(again.outcome == "Already Exists")
        }
        #expect(try daemon.get("/talk").location == "https://example.com/1")
    }

    @Test func `45 characters of slug and 500 of URL are the most`() throws {
        let daemon = try TestDaemon()
        let slug = String(repeating: "x", count: 45)
        let url = "https://example.com/" + String(repeating: "y", count: 480)
        #expect(try daemon.add(slug, url).outcome == "SUCCESS")
        #expect(try daemon.get("/" + slug).location == url)
        let longSlug = try daemon.add(slug + "x", "https://example.com/")
        #expect(longSlug.status == 201)
        #expect(longSlug.outcome == "FAILURE")
        #expect(longSlug.json?["Message"]?.contains("45") == true)
        #expect(try daemon.get("/" + slug + "x").status == 404)
        let longURL = try daemon.add("long", url + "y")
        #expect(longURL.status == 201)
        #expect(longURL.outcome == "FAILURE")
        #expect(longURL.json?["Message"]?.contains("500") == true)
        #expect(try daemon.get("/long").status == 404)
    }

    @Test func `a wrong key and a missing one are 403 and store nothing`() throws {
        let daemon = try TestDaemon()
        for key in ["wrong", "My_key", "my_key ", "", nil] {
            let reply = try daemon.add("talk", "https://example.com/", key: key)
            #expect(reply.status == 403)
            #expect(reply.outcome == "FAILURE")
            #expect(reply["WWW-Authenticate"] == nil)
        }
        // Loose comparison once let these through.
        for key in ["0", "true", "[\"my_key\"]", "{}", "1e400"] {
            let reply = try daemon.post(json: "{\"key\":\(key),\"url\":\"https://example.com/\",\"url_slug\":\"talk\"}")
            #expect(reply.status == 403 || reply.status == 400, "\(key)")
        }
        #expect(try daemon.get("/talk").status == 404)
    }

    @Test func `without a slug one is generated and told`() throws {
        let daemon = try TestDaemon()
        for body in [
            #"{"key":"my_key","url":"https://example.com/g"}"#,
            #"{"key":"my_key","url":"https://example.com/g","url_slug":null}"#,
        ] {
            let reply = try daemon.post(json: body)
            #expect(reply.status == 201)
            let slug = try #require(reply.json?["Url_Slug"])
            #expect(reply.json == ["Status": "SUCCESS", "Url_Slug": slug, "Short_Url": "http://s.test/\(slug)"])
            #expect(slug.count == 6)
            #expect(try daemon.get("/" + slug).location == "https://example.com/g")
        }
        let form = try daemon.post(form: "key=my_key&url=https%3A%2F%2Fexample.com%2Ff")
        let slug = try #require(form.json?["Url_Slug"])
        #expect(try daemon.get("/" + slug).location == "https://example.com/f")
        #expect(try daemon.add("", "https://example.com/").outcome == "FAILURE")
    }

    @Test func `the bodies of the old clients are read`() throws {
        let daemon = try TestDaemon()
        let pretty =
            "{\n  \"key\" : \"my_key\",\n  \"url\" : \"http:\\/\\/example.com\\/ios?a=1\",\n  \"url_slug\" : \"ios\"\n}"
        #expect(try daemon.post(json: pretty).outcome == "SUCCESS")
        #expect(try daemon.get("/ios").location == "http://example.com/ios?a=1")
        let compact = #"{"key":"my_key","url_slug":"droid","url":"http:\/\/example.com\/android"}"#
        #expect(try daemon.post(json: compact).outcome == "SUCCESS")
        #expect(try daemon.get("/droid").location == "http://example.com/android")
        let types = ["application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "Application/JSON"]
        for (index, type) in types.enumerated() {
            let body = #"{"key":"my_key","url":"https://example.com/","url_slug":"t\#(index)"}"#
            let reply = try daemon.ask("POST", "/api-add", ["Content-Type: \(type)"], body: Array(body.utf8))
            #expect(reply.outcome == "SUCCESS", "\(type)")
        }
    }

    @Test func `api-get tells a long URL, or that there is none`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("talk", "https://example.com/\"a&b")
        let known = try daemon.post(json: #"{"url_slug":"talk"}"#, to: "/api-get")
        #expect(known.status == 201)
        #expect(known["Content-Type"] == "application/json")
        #expect(known.json == ["Status": "SUCCESS", "Url_Slug": "talk", "Url": "https://example.com/%22a&b"])
        #expect(try daemon.post(form: "url_slug=talk", to: "/api-get").json == known.json)
        for slug in ["Talk", "none", "", "a/b"] {
            let reply = try daemon.post(form: "url_slug=\(slug)", to: "/api-get")
            #expect(reply.status == 201)
            #expect(reply.text == #"{"Status":"Does not exist"}"#)
        }
    }

    @Test func `api-getall is an object of strings, empty or not`() throws {
        struct Listing: Decodable, Equatable {
            let Urls: [String: String]
            let Status: String
        }
        func listing(_ reply: Reply) throws -> Listing { try JSONDecoder().decode(Listing.self, from: Data(reply.body)) }
        let daemon = try TestDaemon()
        let empty = try daemon.get("/api-getall")
        #expect(empty.status == 200)
        #expect(empty.text == #"{"Urls":{},"Status":"SUCCESS"}"#)
        for slug in ["0", "1", "2"] { _ = try daemon.add(slug, "https://example.com/\(slug)") }
        #expect(try daemon.command("add", "https://example.com/hidden", "--slug", "hidden").isSuccess)
        let urls = ["0": "https://example.com/0", "1": "https://example.com/1", "2": "https://example.com/2"]
        #expect(try listing(daemon.get("/api-getall")) == Listing(Urls: urls, Status: "SUCCESS"))
        #expect(try listing(daemon.post(form: "", to: "/api-getall")) == Listing(Urls: urls, Status: "SUCCESS"))
        let page = try daemon.get("/view/list")
        #expect(page.status == 200)
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.text.contains(#"<a href="http://s.test/1">"#))
        #expect(page.text.contains("https://example.com/2"))
        #expect(!page.text.contains("hidden"))
    }

    @Test func `a public listing that is turned off shows nothing`() throws {
        let daemon = try TestDaemon(["LISTING_PUBLIC": "false"])
        _ = try daemon.add("talk", "https://example.com/secret")
        for target in ["/api-getall", "/view/list"] { #expect(!(try daemon.get(target).text.contains("example.com"))) }
    }

    @Test func `a link can be added by a GET`() throws {
        let daemon = try TestDaemon()
        let added = try daemon.get("/add/my_key/q?url=http://example.com/a?x=1&y=2%23frag")
        #expect(added.status == 200)
        #expect(added["Content-Type"] == "text/html; charset=utf-8")
        #expect(added.text.contains("http://s.test/q"))
        #expect(try daemon.get("/q").location == "http://example.com/a?x=1&y=2#frag")
        #expect(try daemon.get("/add/my_key/q?url=http://example.com/b").status == 409)
        #expect(try daemon.get("/add/nope/r?url=http://example.com/b").status == 403)
        #expect(try daemon.get("/add/my_key/r?url=javascript:alert(1)").status == 400)
        #expect(try daemon.get("/add/my_key/r").status == 400)
        let head = try daemon.ask("HEAD", "/add/my_key/r?url=http://example.com/b")
        #expect(head.status == 405)
        #expect(head["Allow"]?.contains("HEAD") == false)
        #expect(try daemon.get("/r").status == 404)
    }

    @Test func `curl adds and follows a link`() throws {
        let daemon = try TestDaemon()
        let base = "http://127.0.0.1:\(daemon.port)"
        func curl(_ words: String...) throws -> Outcome {
            try Program.run(tool: "curl", ["-sS", "--max-time", "20"] + words, in: daemon.folder)
        }
        let added = try curl(
            "\(base)/api-add", "-d", "key=my_key", "-d", "url_slug=home", "--data-urlencode",
            "url=\(base)/healthz?a=1&b=%2B")
        #expect(added.output == #"{"Status":"SUCCESS"}"#, "\(added.errors)")
        let followed = try curl("-L", "-w", "|%{http_code}|%{url_effective}|%{num_redirects}", "\(base)/home")
        #expect(followed.output == "{\"status\":\"ok\"}\n|200|\(base)/healthz?a=1&b=%2B|1")
        // More than a kilobyte makes curl wait for «100 Continue».
        let large = try curl(
            "-w", "|%{time_total}", "-H", "Expect: 100-continue", "\(base)/api-add", "-d", "key=my_key", "-d",
            "url_slug=big",
            "-d", "url=https://example.com/", "-d", "padding=" + String(repeating: "p", count: 4_000))
        let parts = large.output.split(separator: "|")
        #expect(parts.first == #"{"Status":"SUCCESS"}"#)
        #expect(parts.last.flatMap { Double($0) } ?? 9 < 0.9, "curl waited for the interim answer")
    }
}
