import Foundation
import MemoryStore
import Shortening
import SocketClient
import Testing

@testable import Web

/// The Shortifier dialect over a real socket: statuses, shapes and words that its apps rely on.
struct ShortifierTests {
    private let service: WebService

    init() throws { service = try WebService() }

    private func add(_ json: String) async throws -> Reply { try await service.post("/api-add", json) }

    // MARK: Adding

    @Test func `a link is stored by compact JSON, printed JSON, a form and a query`() async throws {
        let bodies = [
            (#"{"key":"my_key","url_slug":"a","url":"http:\/\/e.example\/a"}"#, "application/json"),
            (
                "{\n  \"url_slug\" : \"b\",\n  \"key\" : \"my_key\",\n  \"url\" : \"http:\\/\\/e.example\\/b\"\n}",
                "application/json"
            ),
            ("key=my_key&url_slug=c&url=http%3A%2F%2Fe.example%2Fc", "application/x-www-form-urlencoded"),
            ("key=my_key&url_slug=d&url=http%3A%2F%2Fe.example%2Fd", "text/plain"),
        ]
        for (body, type) in bodies {
            let reply = try await service.post("/api-add", body, type: type)
            #expect(reply.status == 201 && reply.text == #"{"Status":"SUCCESS"}"#)
            #expect(reply["Content-Type"] == "application/json" && reply["Cache-Control"] == "no-store")
        }
        #expect(
            try await service.post("/api-add?key=my_key&url_slug=e&url=http%3A%2F%2Fe.example%2Fe", "").word == "SUCCESS")
        #expect(service.store.links.map(\.slug.text) == ["a", "b", "c", "d", "e"])
        #expect(service.store.links.map(\.longURL.text) == ["a", "b", "c", "d", "e"].map { "http://e.example/\($0)" })
        #expect(service.store.links.allSatisfy { $0.isListed && $0.owner == AccountID(rawValue: 1) })
    }

    @Test func `a slug that is taken stays what it was; another letter case is another slug`() async throws {
        #expect(try await service.add("http://e.example/1", slug: "MyUrl").word == "SUCCESS")
        let second = try await service.add("http://e.example/2", slug: "MyUrl")
        #expect(second.status == 201 && second.word == "Already Exists" && second.message.contains("MyUrl"))
        #expect(try await service.add("http://e.example/3", slug: "myurl").word == "SUCCESS")
        #expect(try await service.get("/MyUrl")["Location"] == "http://e.example/1")
    }

    @Test func `of many who want one slug at once one gets it`() async throws {
        let service = service
        let words = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<12 {
                group.addTask { try await service.add("http://e.example/\(index)", slug: "one").word }
            }
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(words.filter { $0 == "SUCCESS" }.count == 1 && words.filter { $0 == "Already Exists" }.count == 11)
    }

    @Test(arguments: ["api", "API", "robots.txt", "add", "Healthz", "courses.json", ".well-known"])
    func `a reserved slug exists already`(_ slug: String) async throws {
        let reply = try await service.add("http://e.example/", slug: slug)
        #expect(reply.status == 201 && reply.word == "Already Exists" && !reply.message.isEmpty)
        #expect(service.store.links.isEmpty)
    }

    @Test(arguments: [
        "", "a/b", "a b", "a?b", "a#b", "a%b", "a\\b", "é", "🎉", ".", "..", "a.", ".a", "x.json", "a\0b", "%@%n",
    ])
    func `a slug that its own short URL could not reach is FAILURE`(_ slug: String) async throws {
        let reply = try await service.add("http://e.example/", slug: slug)
        #expect(reply.status == 201 && reply.word == "FAILURE" && !reply.message.isEmpty)
        #expect(service.store.links.isEmpty)
    }

    @Test(arguments: [
        "", " ", "example.com/a", "www.example.com", "ftp://example.com/", "javascript:alert(1)", "http://",
        "//example.com/x", "/admin",
        "?x=1", "https://?x", "http://[::1/x", "http://example.com:99999/", "data:text/html,x", "java\tscript:alert(1)",
        "http://s.test/a",
        "HTTP://S.TEST:80/x", "mailto:a@b.example",
    ])
    func `a long URL that nobody should be led to is FAILURE`(_ url: String) async throws {
        let reply = try await service.add(url, slug: "s")
        #expect(reply.status == 201 && reply.word == "FAILURE" && !reply.message.isEmpty)
        #expect(service.store.links.isEmpty)
    }

    @Test func `limits are told with their number`() async throws {
        #expect(try await service.add("http://e.example/", slug: String(repeating: "a", count: 45)).word == "SUCCESS")
        let slug = try await service.add("http://e.example/", slug: String(repeating: "a", count: 46))
        #expect(slug.status == 201 && slug.word == "FAILURE" && slug.message.contains("45"))
        let start = "http://e.example/"
        #expect(try await service.add(start + String(repeating: "a", count: 500 - 17), slug: "x").word == "SUCCESS")
        let url = try await service.add(start + String(repeating: "a", count: 501 - 17), slug: "y")
        #expect(url.status == 201 && url.word == "FAILURE" && url.message.contains("500"))
    }

    @Test func `without a slug one is made and told`() async throws {
        for json in [
            #"{"key":"my_key","url":"http://e.example/"}"#, #"{"key":"my_key","url":"http://e.example/","url_slug":null}"#,
        ] {
            let reply = try await add(json)
            let slug = try #require(reply.strings["Url_Slug"])
            #expect(reply.status == 201 && reply.word == "SUCCESS" && reply.strings["Short_Url"] == "http://s.test/\(slug)")
            #expect(slug.count == 6)
            #expect(try await service.get("/\(slug)")["Location"] == "http://e.example/")
        }
    }

    @Test func `line breaks in a long URL never get into an answer's head`() async throws {
        for (index, json) in [#"\r\nX-Test: 1"#, #"\nX-Test: 1"#, #"\rX-Test: 1"#].enumerated() {
            let reply = try await add(#"{"key":"my_key","url_slug":"l\#(index)","url":"https://e.example/\#(json)"}"#)
            guard reply.word == "SUCCESS" else { continue }
            let redirect = try await service.get("/l\(index)")
            #expect(redirect["X-Test"] == nil && redirect["Location"] == "https://e.example/X-Test:%201")
        }
        #expect(service.store.links.count == 3)
    }

    // MARK: What cannot be read

    @Test func `bad requests are told what is wrong, and a good one on the same connection is served`() async throws {
        let client = try service.connect()
        let bad = [
            "", "{", "[]", #""x""#, "null", #"{"ur":"http://e.example/"}"#, #"{}{}"#, #"{"key":"a\#u{1}"}"#, "17", "{,}",
        ]
        for body in bad {
            let reply = try await client.ask(WebService.post("/api-add", body))
            #expect([400, 403].contains(reply.status) && reply.word == "FAILURE" && !reply.message.isEmpty, "\(body)")
        }
        let good = WebService.post("/api-add", #"{"key":"my_key","url":"http://e.example/","url_slug":"good"}"#)
        #expect(try await client.ask(good).status == 201)
    }

    @Test(arguments: [
        (#""url":123"#, "url"), (#""url":null"#, "url"), (#""url":["x"]"#, "url"), (#""x":1"#, "url"),
        (#""url":"http://e.example/","url_slug":12"#, "url_slug"),
        (#""url":"http://e.example/","url_slug":false"#, "url_slug"),
        (#""url":"http://e.example/","title":{}"#, "title"), (#""url":"http://e.example/","title":"a\u0000b""#, "title"),
    ])
    func `a value of the wrong kind is named`(_ fields: String, _ name: String) async throws {
        let reply = try await add(#"{"key":"my_key",\#(fields)}"#)
        #expect(reply.word == "FAILURE" && reply.message.contains("\"\(name)\""), "\(reply.text)")
        #expect(service.store.links.isEmpty)
    }

    @Test func `bytes that are no UTF-8 are 400`() async throws {
        let start = Array(#"{"key":"my_key","url_slug":"s","url":"https://e.example/"#.utf8)
        #expect(try await service.post("/api-add", start + [0xc3, 0x28, 0x22, 0x7d]).status == 400)
        let form = Array("key=my_key&url=https%3A%2F%2Fe.example%2F%FF".utf8)
        #expect(try await service.post("/api-add", form, type: "application/x-www-form-urlencoded").status == 400)
        #expect(service.store.links.isEmpty)
    }

    @Test func `content in three parts is read whole, and too much of it is 413`() async throws {
        let client = try service.connect()
        let url = "http://e.example/" + String(repeating: "a", count: 400)
        let padding = String(repeating: " ", count: 200_000)
        let bytes = Array(
            WebService.post("/api-add", #"{"key":"my_key","url":"\#(url)","x":"\#(padding)","url_slug":"p"}"#).utf8)
        for part in [bytes[..<100], bytes[100..<100_000], bytes[100_000...]] {
            await client.send(Array(part))
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await client.reply().status == 201)
        #expect(service.store.links.first?.longURL.text == url)
        #expect(try await service.post("/api-add", String(repeating: " ", count: 1_048_577)).status == 413)
    }

    // MARK: Keys

    @Test(arguments: [
        #""key":"wrong""#, #""key":"""#, #""key":"MY_KEY""#, #""key":"my_key ""#, #""key":0"#, #""key":true"#,
        #""key":null"#,
        #""key":["my_key"]"#, #""x":1"#,
    ])
    func `only the exact key opens`(_ field: String) async throws {
        let reply = try await add(#"{\#(field),"url":"http://e.example/","url_slug":"s"}"#)
        #expect(reply.status == 403 && reply.word == "FAILURE" && !reply.message.contains("my_key"))
        #expect(reply["WWW-Authenticate"] == nil && service.store.links.isEmpty)
    }

    @Test(arguments: ["0", "true", "[\"my_key\"]", "{}"])
    func `a key that is no string is told so`(_ value: String) async throws {
        #expect(try await add("{\"key\":\(value)}").message == "\"key\" must be a string.")
    }

    @Test func `JSON that says it is a form is told that it was read as one`() async throws {
        let form = "application/x-www-form-urlencoded"
        let json = #"{"key":"my_key","url":"http://e.example/"}"#
        let reply = try await service.post("/api-add", json, type: form)
        #expect(reply.status == 403 && reply.message.hasSuffix("send JSON with Content-Type: application/json."))
        #expect(try await service.post("/api-add", "x=1", type: form).message == "The key is missing; send it as \"key\".")
        let parts = try await service.post("/api-add", "--x\r\n", type: "Multipart/Form-Data; boundary=x")
        #expect(parts.status == 400 && parts.message.hasPrefix("A multipart form is not understood"))
        #expect(try await add("{").message == "The content is not well-formed JSON: a string is missing at byte 2.")
    }

    @Test func `after ten wrong keys wrong ones wait, and nothing else does`() async throws {
        for _ in 0..<10 { #expect(try await add(#"{"key":"wrong"}"#).status == 403) }
        let braked = try await add(#"{"key":"wrong"}"#)
        #expect(braked.status == 429 && braked.word == "FAILURE")
        #expect((1...60).contains(Int(braked["Retry-After"] ?? "") ?? 0))
        #expect(try await service.get("/add/wrong/s?url=http://e.example/").status == 429)
        #expect(try await add("{}").status == 403)
        #expect(try await service.add("http://e.example/", slug: "s").word == "SUCCESS")
        #expect(try await service.get("/s").status == 302)
    }

    @Test func `a revoked key ends with the next request`() async throws {
        #expect(try await service.add("http://e.example/", slug: "a").word == "SUCCESS")
        service.store.removeKeys()
        #expect(try await service.add("http://e.example/", slug: "b").status == 403)
    }

    @Test(arguments: [(StoreError.busy, 503), (.full, 507), (.readOnly("/secret/path"), 503), (.failed("SQL text"), 503)])
    func `a store that cannot is no fault of the request's`(_ error: StoreError, _ status: Int) async throws {
        #expect(try await service.add("http://e.example/", slug: "warm").word == "SUCCESS")
        service.store.fail(error)
        let reply = try await service.add("http://e.example/", slug: "s")
        #expect(reply.status == status && reply.word == "FAILURE" && reply["Retry-After"] == "1")
        #expect(!reply.text.contains("/secret") && !reply.text.contains("SQL"))
    }

    // MARK: Asking

    @Test func `a slug is asked for by JSON and by form`() async throws {
        #expect(try await service.add("http://e.example/?a=1&b=\"", slug: "s").word == "SUCCESS")
        let url = try #require(service.store.links.first).longURL.text
        for (body, type) in [
            (#"{"url_slug":"s"}"#, "application/json"), ("url_slug=s", "application/x-www-form-urlencoded"),
        ] {
            let reply = try await service.post("/api-get", body, type: type)
            #expect(reply.status == 201 && reply.strings == ["Status": "SUCCESS", "Url_Slug": "s", "Url": url])
        }
        for body in [
            #"{"url_slug":"S"}"#, #"{"url_slug":""}"#, "{}", #"{"url_slug":"no/slug"}"#, #"{"url_slug":null}"#, "[]",
        ] {
            let reply = try await service.post("/api-get", body)
            #expect(reply.status == 201 && reply.text == #"{"Status":"Does not exist"}"#, "\(body)")
        }
        #expect(try await service.post("/api-get", "{").status == 400)
    }

    private struct Listing: Decodable {
        let Urls: [String: String]
        let Status: String
    }

    @Test func `the listing is an object, also when it is empty or all slugs are digits`() async throws {
        let empty = try await service.get("/api-getall")
        #expect(empty.status == 200 && empty.text == #"{"Urls":{},"Status":"SUCCESS"}"#)
        for slug in ["0", "1", "2"] { #expect(try await service.add("http://e.example/", slug: slug).word == "SUCCESS") }
        let reply = try await service.post("/api-getall", "")
        #expect(
            reply.text
                == #"{"Urls":{"0":"http://e.example/","1":"http://e.example/","2":"http://e.example/"},"Status":"SUCCESS"}"#
        )
        #expect(try await service.get("/api-getall", method: "HEAD").status == 200)
    }

    @Test func `the listing holds what is listed, all of it`() async throws {
        for index in 0..<620 {
            let link = NewLink(
                slug: .chosen(Slug(stored: "s\(index)")), longURL: LongURL(stored: "http://e.example/\(index)"),
                isListed: index % 31 != 0)
            await withCheckedContinuation { continuation in service.store.add(link) { _ in continuation.resume() } }
        }
        let reply = try await service.get("/api-getall")
        let listing = try JSONDecoder().decode(Listing.self, from: Data(reply.body))
        #expect(listing.Status == "SUCCESS" && listing.Urls.count == 600)
        #expect(listing.Urls["s1"] == "http://e.example/1" && listing.Urls["s0"] == nil)
        let page = try await service.get("/view/list")
        #expect(page.status == 200 && page.text.contains("http://s.test/s619") && !page.text.contains("http://s.test/s0\""))
        #expect(page.text.hasPrefix("<!doctype html>") && page.text.hasSuffix("</html>\n"))
    }

    @Test func `a listing whose store fails half way is cut, not finished`() async throws {
        try await addListed(300)
        service.store.fail(.busy, after: 1)
        let client = try service.connect()
        await client.send("GET /api-getall HTTP/1.1\r\nHost: a\r\n\r\n")
        await #expect(throws: ReplyFault.self) { try await client.reply() }
    }

    @Test func `a listing whose store fails at once says so`() async throws {
        service.store.fail(.busy)
        let all = try await service.get("/api-getall")
        #expect(all.status == 503 && all.word == "FAILURE" && all["Retry-After"] == "1")
        let page = try await service.get("/view/list")
        #expect(page.status == 503 && page.text.contains("The store is busy") && page["Retry-After"] == "1")
    }

    @Test(arguments: ["/api-getall", "/view/list"])
    func `a short listing has a length, a long one comes in pieces`(_ path: String) async throws {
        try await addListed(250)
        let short = try await service.get(path)
        #expect(short["Content-Length"] == "\(short.body.count)" && short["Transfer-Encoding"] == nil)
        try await addListed(1, from: 250)
        let long = try await service.get(path)
        #expect(long["Content-Length"] == nil && long["Transfer-Encoding"] == "chunked")
        #expect(long.text.contains("s250") && long.body.count > short.body.count)
    }

    private func addListed(_ count: Int, from first: Int = 0) async throws {
        for index in first..<first + count {
            #expect(try await service.add("http://e.example/\(index)", slug: "s\(index)").word == "SUCCESS")
        }
    }

    @Test func `a listing that is turned off says so, with a status that old apps can read`() async throws {
        let service = try WebService { $0.hasPublicListing = false }
        #expect(try await service.add("http://e.example/", slug: "s").word == "SUCCESS")
        let reply = try await service.get("/api-getall")
        #expect(reply.status == 200 && reply.text.hasPrefix(#"{"Urls":{},"Status":"FAILURE""#))
        #expect(try await service.get("/view/list").status == 403)
    }

    // MARK: Pages

    @Test func `a link is added by following one`() async throws {
        let reply = try await service.get("/add/my_key/s?url=http://e.example/a?x=1&y=2%23f")
        #expect(reply.status == 200 && reply.text.contains("http://s.test/s"))
        #expect(service.store.links.first?.longURL.text == "http://e.example/a?x=1&y=2#f")
        #expect(try await service.get("/add/my_key/s?url=http://e.example/").status == 409)
        #expect(try await service.get("/add/my_key/api?url=http://e.example/").status == 409)
        #expect(try await service.get("/add/my_key/t").status == 400)
        #expect(try await service.get("/add/my_key/t?url=example.com/a").status == 400)
        #expect(try await service.get("/add/my_key/a%2Fb?url=http://e.example/").status == 400)
        #expect(try await service.get("/add/wrong/t?url=http://e.example/").status == 403)
        #expect(try await service.get("/add/my%5Fkey/u?url=http://e.example/").status == 200)
        let head = try await service.get("/add/my_key/v?url=http://e.example/", method: "HEAD")
        #expect(head.status == 405 && head["Allow"] == "GET, OPTIONS")
        #expect(service.store.links.map(\.slug.text) == ["s", "u"])
    }

    @Test(arguments: [
        #"https://e.example/"><script>x</script>"#, #"https://e.example/?"onfocus="x"#, "https://e.example/'-x-'",
    ])
    func `what a long URL holds is text in every page`(_ url: String) async throws {
        #expect(try await service.add(url, slug: "s").word == "SUCCESS")
        let pages = [
            try await service.get("/view/list"),
            try await service.get("/add/my_key/t?url=" + url.replacing(" ", with: "%20")),
            try await service.get("/add/my_key/%3Cscript%3E?url=" + url), try await service.get("/%3Cscript%3Ex"),
        ]
        for page in pages {
            #expect(!page.text.contains("<script") && !page.text.contains("\"onfocus") && !page.text.contains("'-x-'"))
            #expect(
                page["Content-Security-Policy"]?.contains("script") != true && page["X-Content-Type-Options"] == "nosniff")
        }
    }

    @Test func `short URLs never come from the request's Host`() async throws {
        let client = try service.connect()
        let body = #"{"key":"my_key","url":"http://e.example/"}"#
        let reply = try await client.ask(
            "POST /api-add HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(reply.strings["Short_Url"]?.hasPrefix("http://s.test/") == true)
    }
}
