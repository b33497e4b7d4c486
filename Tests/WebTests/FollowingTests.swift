import MemoryStore
import Shortening
import SocketClient
import Testing

@testable import Web

/// Following slugs, and the house's own pages, as browsers and programs ask for them.
struct FollowingTests {
    private let service: WebService

    init() throws { service = try WebService() }

    @Test(arguments: [
        "https://example.com/?red+42", "https://example.com/2+2_(x)?q=2+2%2B2", "https://example.com/bad%20space/",
        "https://example.com/r?u=https%3A%2F%2Fexample.org%2F%3Fq%3Da%2520b%26x%3D1%23f&k=1", "http://[2001:db8::1]:8080/x",
    ])
    func `a slug leads to its long URL byte for byte, at the first visit and from the cache`(_ url: String) async throws {
        #expect(try await service.add(url, slug: "talk").word == "SUCCESS")
        for _ in 0..<3 {
            let reply = try await service.get("/talk")
            #expect(reply.status == 302 && reply["Location"] == url && reply["Cache-Control"] == "no-store")
            #expect(reply["Content-Length"] == "0")
        }
        #expect(service.store.reads == 1)
        let head = try await service.get("/talk", method: "HEAD")
        #expect(head.status == 302 && head["Location"] == url)
        #expect(service.cache.drainClicks().map(\.visits) == [3])
    }

    @Test func `a slug with a slash behind it, escaped letters or a query is that slug`() async throws {
        #expect(try await service.add("https://e.example/", slug: "a-b.c~d_e").word == "SUCCESS")
        for target in ["/a-b.c~d_e", "/a-b.c~d_e/", "/%61-b.c%7Ed%5fe", "/a-b.c~d_e?x=1", "http://other.example/a-b.c~d_e"]
        {
            #expect(try await service.get(target).status == 302, "\(target)")
        }
        for target in [
            "/A-b.c~d_e", "/a-b.c~d_e//", "/a-b.c~d_e/x", "//a-b.c~d_e", "/a-b.c~d_e%2F", "/a-b.c~d_e%00",
            "/a-b.c~d_%65%20",
        ] {
            #expect(try await service.get(target).status == 404, "\(target)")
        }
    }

    @Test func `what is not there is 404, a page for people and JSON for programs`() async throws {
        let page = try await service.get("/nothing")
        #expect(page.status == 404 && page["Content-Type"] == "text/html; charset=utf-8" && page["Location"] == nil)
        #expect(
            page["Cache-Control"] == "no-store" && page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        let json = try await service.get("/nothing", "Accept: application/json")
        #expect(json.status == 404 && json["Content-Type"] == "application/problem+json")
        #expect(try await service.get("/nothing", method: "HEAD").status == 404)
        #expect(try await service.add("https://e.example/", slug: "nothing").word == "SUCCESS")
        #expect(try await service.get("/nothing").status == 302)
    }

    @Test func `a failing store is 503 with a time to come again, never 404`() async throws {
        service.store.fail(.failed("disk on fire, /var/lib/x"))
        for path in ["/s", "/t"] {
            let reply = try await service.get(path)
            #expect(reply.status == 503 && reply["Retry-After"] == "1" && !reply.text.contains("/var/lib"))
        }
        #expect(try await service.get("/s", "Accept: application/json")["Content-Type"] == "application/problem+json")
        service.store.fail(nil)
        #expect(try await service.get("/s").status == 404)
    }

    @Test func `a removed link ends at once`() async throws {
        #expect(try await service.add("https://e.example/", slug: "s").word == "SUCCESS")
        #expect(try await service.get("/s").status == 302)
        await withCheckedContinuation { continuation in
            service.store.remove(Slug(stored: "s")) { _ in continuation.resume() }
        }
        #expect(try await service.get("/s").status == 404)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
    func `other methods on a slug are 405 and say what is allowed`(_ method: String) async throws {
        let reply = try await service.get("/s", method: method)
        #expect(reply.status == 405 && reply["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test func `methods are answered for what they are`() async throws {
        #expect(try await service.get("/s", method: "OPTIONS").status == 204)
        #expect(try await service.get("*", method: "OPTIONS")["Allow"] == "GET, HEAD, POST, OPTIONS")
        #expect(try await service.get("/s", method: "BREW").status == 501)
        #expect(try await service.get("/api-add")["Allow"] == "POST, OPTIONS")
        #expect(try await service.get("/healthz", method: "POST").status == 405)
        #expect(try await service.get("/API-ADD", method: "POST").status == 404)
    }

    @Test func `what no route answers is refused in the form of the path's clients`() async throws {
        let service = try WebService()
        let shortifier = try await service.get("/api-add", method: "PUT")
        #expect(shortifier.status == 405 && shortifier.text.hasPrefix("{\"Status\":\"FAILURE\""))
        for path in ["/Squeeze.svc/text/a/b?url=x", "/squeeze.svc//text/k?url=x"] {
            let squeeze = try await service.get(path)
            #expect(squeeze.status == 404 && squeeze.text.hasPrefix("ERROR 404: "))
        }
        let listing = try await service.get("/courses.json", method: "PUT")
        #expect(listing.status == 405 && listing["Content-Type"] == "application/problem+json")
        #expect(try await service.get("/healthz", method: "PUT").text.hasPrefix("This method is not allowed here."))
    }

    @Test func `misses of many clients in a turn are answered each with its own`() async throws {
        for index in 0..<20 {
            #expect(try await service.add("https://e.example/\(index)", slug: "m\(index)").word == "SUCCESS")
        }
        let client = try service.connect()
        await client.send(
            (0..<20).map { "GET /m\($0) HTTP/1.1\r\nHost: a\r\n\r\nGET /no\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for index in 0..<20 {
            #expect(try await client.reply()["Location"] == "https://e.example/\(index)")
            #expect(try await client.reply().status == 404)
        }
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/robots.txt", "text/plain; charset=utf-8"), ("/favicon.ico", "image/x-icon"),
        ("/assets/style.css", "text/css; charset=utf-8"), ("/healthz", "application/json"),
    ])
    func `the house's own pages are there, for HEAD too, and count no visit`(_ path: String, _ type: String) async throws {
        let page = try await service.get(path)
        #expect(page.status == 200 && page["Content-Type"] == type && !page.body.isEmpty)
        let head = try await service.get(path, method: "HEAD")
        #expect(head.status == 200 && head["Content-Length"] == page["Content-Length"])
        #expect(service.cache.drainClicks().isEmpty)
    }

    @Test func `the health check says what is wrong`() async throws {
        service.store.fail(.full)
        let reply = try await service.get("/healthz")
        #expect(reply.status == 503 && reply.strings["status"] == "degraded" && reply.strings["reason"]?.isEmpty == false)
    }
}
