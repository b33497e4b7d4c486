// The pages beside redirects, and what a path means in all its forms.
internal import Testing

@Suite(.atTheBench) struct PageTests {
    @Test func `the house's pages are served`() throws {
        let daemon = try TestDaemon()
        let types = [
            "/": "text/html; charset=utf-8", "/robots.txt": "text/plain; charset=utf-8", "/favicon.ico": "image/x-icon",
            "/healthz": "application/json",
        ]
        for (path, type) in types {
            let reply = try daemon.get(path)
            #expect(reply.status == 200, "\(path)")
            #expect(reply["Content-Type"] == type, "\(path)")
            #expect(!reply.body.isEmpty, "\(path)")
            let head = try daemon.ask("HEAD", path)
            #expect(head.status == 200, "\(path)")
            #expect(head["Content-Length"] == "\(reply.body.count)", "\(path)")
        }
        #expect(try daemon.get("/").text.contains("URL shortener"))
        #expect(try daemon.get("/healthz").json == ["status": "ok"])
        #expect(try daemon.get("/?x=1").status == 200)
    }

    @Test func `a slash behind a slug changes nothing`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/t")
        for target in ["/s", "/s/", "/s?a=1", "/s/?a=1", "/%73", "http://other.example/s", "http://s.test/s/"] {
            let reply = try daemon.get(target)
            #expect(reply.status == 302, "\(target)")
            #expect(reply.location == "https://example.com/t", "\(target)")
        }
        for target in ["/S", "/S/", "/s//", "//s", "/unknown/", "/s/t", "/s%2F", "/s%00", "/s%20", "/s.", "/%"] {
            let reply = try daemon.get(target)
            #expect(reply.status == 404 || reply.status == 400, "\(target): \(reply.status)")
            #expect(reply.location == nil, "\(target)")
        }
    }

    @Test func `HEAD is GET without a body and no visit`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/t")
        for _ in 0..<2 {
            let head = try daemon.ask("HEAD", "/s")
            #expect(head.status == 302)
            #expect(head.location == "https://example.com/t")
            #expect(head["Cache-Control"] == "no-store")
        }
        #expect(try daemon.ask("HEAD", "/unknown").status == 404)
        #expect(try daemon.ask("HEAD", "/api-getall").status == 200)
        // On one connection: a body that came after all would be read as the next answer.
        let wire = try daemon.connect()
        for target in ["/s", "/unknown", "/", "/view/list"] {
            try wire.send("HEAD \(target) HTTP/1.1\r\nHost: s.test\r\n\r\n")
            _ = try wire.reply(toHead: true)
        }
        try wire.send("GET /s HTTP/1.1\r\nHost: s.test\r\n\r\n")
        #expect(try wire.reply().status == 302)
        try daemon.stop()
        #expect(try daemon.visits("s") == 1)
    }

    @Test func `another method is refused with those allowed`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/t")
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            let slug = try daemon.ask(method, "/s", body: Array("key=my_key".utf8))
            #expect(slug.status == 405)
            #expect(slug["Allow"] == "GET, HEAD, OPTIONS")
            #expect(slug.location == nil)
        }
        for method in ["GET", "HEAD", "PUT"] {
            let add = try daemon.ask(method, "/api-add")
            #expect(add.status == 405)
            #expect(add["Allow"] == "POST, OPTIONS")
        }
        #expect(try daemon.ask("POST", "/healthz", body: []).status == 405)
        #expect(try daemon.ask("OPTIONS", "/s").status == 204)
        #expect(try daemon.ask("OPTIONS", "*").status == 204)
        #expect(try daemon.ask("BREW", "/s").status == 501)
    }

    @Test func `an unknown slug is a page for people and JSON for programs`() throws {
        let daemon = try TestDaemon()
        // The second time the cache answers.
        for _ in 0..<2 {
            let page = try daemon.get("/unknown", ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"])
            #expect(page.status == 404)
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page["Cache-Control"] == "no-store")
            #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
            let data = try daemon.get("/unknown", ["Accept: application/json"])
            #expect(data.status == 404)
            #expect(data["Content-Type"] == "application/problem+json")
            #expect(data.text.hasPrefix(#"{"status":404,"#))
        }
        #expect(try daemon.get("/unknown")["Content-Type"] == "text/html; charset=utf-8")
    }

    @Test func `a target with a host is read without it, and one without a slash is none`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/")
        func ask(_ line: String, _ host: String) throws -> Reply {
            let wire = try daemon.connect()
            try wire.send("\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try wire.reply()
        }
        for target in ["http://s.test/s", "HTTP://s.test:80/s", "https://elsewhere.example/s"] {
            #expect(try ask("GET \(target)", "other.example").location == "https://example.com/", "\(target)")
        }
        let options = try ask("OPTIONS *", "s.test")
        #expect(options.status == 204 && options["Allow"]?.contains("GET") == true)
        for target in ["s", "s.test/s", "?s", ""] { #expect(try ask("GET \(target)", "s.test").status == 400) }
    }

    @Test func `every answer carries a date`() throws {
        let daemon = try TestDaemon()
        for target in ["/", "/unknown", "/api-getall", "/healthz"] { #expect(try daemon.get(target)["Date"] != nil) }
        let wire = try daemon.connect()
        try wire.send("GET s HTTP/1.1\r\n\r\n")
        let refused = try wire.reply()
        #expect(refused.status == 400)
        #expect(refused["Date"] != nil)
        #expect(refused["Connection"] == "close")
        #expect(try wire.readToEnd().isEmpty)
    }

    @Test func `the redirect's status and cache field are settings`() throws {
        let daemon = try TestDaemon(["REDIRECT_STATUS": "308", "REDIRECT_CACHE_CONTROL": "private, max-age=60"])
        _ = try daemon.add("s", "https://example.com/t")
        for _ in 0..<2 {
            let reply = try daemon.get("/s")
            #expect(reply.status == 308)
            #expect(reply["Cache-Control"] == "private, max-age=60")
        }
    }

    @Test func `pipelined requests and HTTP 1.0 are answered`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/t")
        let wire = try daemon.connect()
        let targets = ["/s", "/unknown1", "/healthz", "/s", "/api-getall", "/unknown2", "/"]
        try wire.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: s.test\r\n\r\n" }.joined())
        #expect(try targets.map { _ in try wire.reply().status } == [302, 404, 200, 302, 200, 404, 200])
        let old = try daemon.connect()
        try old.send("GET /api-getall HTTP/1.0\r\n\r\n")
        let reply = try old.reply()
        #expect(reply["Transfer-Encoding"] == nil)
        #expect(reply.text.hasSuffix(#""Status":"SUCCESS"}"#))
        let kept = try daemon.connect()
        for _ in 0..<2 {
            try kept.send("GET /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try kept.reply()["Connection"] == "keep-alive")
        }
    }
}
