// Every page that the site can answer with, whatever is asked for and however wrong: none may run what somebody else wrote.
import SQLiteStore
import Shortening
import SocketClient
import Testing

@testable import HTTP
@testable import Web

@Suite struct PageSafetyTests {
    /// Would be an element, an attribute or the end of one wherever it stood unescaped.
    private static let hostile = "\"><mark9 onfocus='x'>&'</title><script>mark9</script>"
    private static let key = "my_key"

    private static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + (($0 < 16 ? "0" : "") + String($0, radix: 16)) }.joined()
    }

    /// A site whose every text is hostile.
    private static func site(_ change: (inout WebOptions) -> Void = { _ in }) throws -> RunningSite {
        let site = try RunningSite(detailWait: .milliseconds(10), change)
        _ = try site.store.createKey(
            account: "a", label: hostile, digest: KeySecret.digest(ofPresented: Array(key.utf8)))
        for slug in ["mine", "other"] {
            guard let url = try? LongURL("https://example.com/?'\(encoded(hostile))", limit: 500) else {
                throw SetUpFault(message: "no long URL")
            }
            let link = NewLink(slug: .chosen(Slug(stored: slug)), longURL: url, title: hostile, isListed: true)
            guard case .added = try site.store.add(link) else { throw SetUpFault(message: "\(slug) is taken") }
            _ = try site.store.setDescription(hostile, of: Slug(stored: slug))
            _ = try site.store.setTags(["<mark9>", "red"].compactMap { Tag($0) }, of: Slug(stored: slug))
        }
        try site.collect("flowers", ["mine", "other"])
        try site.event("mine", "2030-01-01", "2030-01-02", hostile, hostile)
        try site.setPassword("right", of: "user")
        return site
    }

    /// All paths of all routes with each of these texts in their parameters, and what no route has.
    private static var paths: [String] {
        let texts = ["flowers", "mine", "red", key, encoded(hostile)]
        let routed = SiteMap().pages.flatMap { page in
            texts.map { text in
                page.route.pattern.parts.map { part in
                    switch part {
                    case .literal(let bytes): "/" + String(decoding: bytes, as: UTF8.self)
                    case .parameter(let suffix): "/" + text + String(decoding: suffix, as: UTF8.self)
                    }
                }.joined()
            }
        }
        let others = [
            "/", "/mine", "/nothing", "/\(encoded(hostile))", "/a/b/c", "/assets/\(encoded(hostile))", "/view",
            "/add/\(key)/api", "/add/\(key)/mine", "/add/\(key)/\(encoded(hostile))", "/mine/\(encoded(hostile))",
        ]
        return Array(Set(routed + others)).sorted()
    }

    private static let queries = [
        "", "?url=https://example.com/\(encoded(hostile))", "?url=\(encoded(hostile))",
        "?tag=red&color=red&session=\(encoded(hostile))&month=\(encoded(hostile))&maxc=\(encoded(hostile))",
    ]

    /// Looks at one answer; returns its status where it is a page.
    private static func judge(_ reply: Reply, _ what: String) -> Int? {
        let type = reply["content-type"]
        if !reply.body.isEmpty { #expect(type != nil, "\(what) has no type") }
        for field in reply.fields { #expect(!field.value.contains("<mark9"), "\(what): \(field.name)") }
        guard type?.hasPrefix("text/html") == true else {
            // In JSON it is a string of a document that nobody takes for a page.
            if type?.contains("json") != true { #expect(!reply.text.contains("<mark9"), "\(what)") }
            return nil
        }
        let policy = reply["content-security-policy"] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(what): \(policy)")
        #expect(!policy.contains("unsafe") && !policy.contains("script") && !policy.contains("*"), "\(what): \(policy)")
        #expect(reply["x-content-type-options"] == "nosniff" && reply["referrer-policy"] == "no-referrer", "\(what)")
        let text = reply.text.lowercased()
        for wrong in ["<mark9", "<script", "onfocus='", "javascript:", "style=", "<style"] {
            #expect(!text.contains(wrong), "\(what) has \(wrong): \(reply.text)")
        }
        return reply.status
    }

    /// Asks for everything, and returns the statuses of all pages with how often each came.
    private static func walk(_ site: RunningSite) async throws -> [Int: Int] {
        var statuses: [Int: Int] = [:]
        let wrong = encoded(hostile)
        let client = try SocketClient(port: site.port)
        for path in paths {
            for (method, query) in queries.map({ ("GET", $0) }) + [("POST", ""), ("DELETE", ""), ("HEAD", "")] {
                let content = method == "POST" ? "key=\(key)&url=\(wrong)&url_slug=\(wrong)&title=\(wrong)" : ""
                let request =
                    "\(method) \(path)\(query) HTTP/1.1\r\nHost: s.test\r\nAccept: text/html\r\nReferer: \(hostile)\r\n"
                    + "User-Agent: \(hostile)\r\nAuthorization: Basic dXNlcjpyaWdodA==\r\nCookie: \(hostile)\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(content.utf8.count)\r\n\r\n"
                let reply = try await client.ask(request + content, toHead: method == "HEAD")
                if let status = judge(reply, "\(method) \(path)\(query)") { statuses[status, default: 0] += 1 }
            }
        }
        return statuses
    }

    @Test func `every page of every route forbids script, and shows what others wrote as text`() async throws {
        let statuses = try await Self.walk(Self.site())
        // Done, and not found, forbidden, malformed, taken, too often: all that a page can say while the store is well.
        for status in [200, 400, 403, 404, 409, 429] {
            #expect((statuses[status] ?? 0) > 0, "no page was \(status): \(statuses)")
        }
    }

    @Test func `so does every page without a listing, and of a store that has failed`() async throws {
        let closed = try Self.site { $0.hasPublicListing = false }
        #expect(try await Self.judge(closed.get("/view/list"), "the listing that is turned off") == 403)
        closed.store.close()
        let statuses = try await Self.walk(closed)
        #expect((statuses[503] ?? 0) > 0, "\(statuses)")
    }

    @Test func `what the server itself refuses repeats nothing`() async throws {
        let site = try Self.site()
        let bad = [
            "GET /<mark9> HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: <mark9>\r\n\r\n",
            "<mark9> / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n<mark9>: x\r\n\r\n", "GET / HTTP/9.9<mark9>\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nExpect: <mark9>\r\n\r\n",
            "POST /api-add HTTP/1.1\r\nHost: a\r\nContent-Encoding: <mark9>\r\nContent-Length: 1\r\n\r\nx",
            "POST /api-add HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: <mark9>\r\n\r\n",
        ]
        for request in bad {
            let reply = try await SocketClient(port: site.port).ask(request)
            let type = try #require(reply["content-type"])
            #expect(reply.status >= 400 && ["text/plain; charset=utf-8", "application/json"].contains(type), "\(request)")
            #expect(Self.judge(reply, request) == nil)
        }
    }
}
