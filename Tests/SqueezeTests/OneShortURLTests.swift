// One account and one long URL have one short URL; and what becomes of URLs that are short already.
import Foundation
import SQLiteStore
import Shortening
import Testing

@Suite struct OneShortURLTests {
    @Test func `asking again gives the same short URL, in whatever form and escaping`() throws {
        let service = try LiveService()
        let first = try service.squeeze("http://example.com/a?x=1&y=2%23frag").text
        #expect(try service.squeeze("http%3A%2F%2Fexample.com%2Fa%3Fx%3D1%26y%3D2%23frag").text == first)
        #expect(try service.squeeze("example.com/a?x=1&y=2%23frag").text == first)
        #expect(
            try service.get("/Squeeze.svc/\(LiveService.key)?url=http://example.com/a?x=1&y=2%23frag").text
                == "\"\(first)\"")
        #expect(try service.squeeze("http://example.com/a?x=1&y=2").text != first)
        #expect(try service.report().count == 2)
    }

    @Test func `each account has its own short URL, all keys of one account the same`() throws {
        let service = try LiveService()
        try service.makeKey("second", account: "ann")
        try service.makeKey("other", account: "bob")
        let first = try service.squeeze("http://example.com/").text
        #expect(try service.squeeze("http://example.com/", key: "second").text == first)
        #expect(try service.squeeze("http://example.com/", key: "other").text != first)
    }

    @Test func `20 equal requests at once get one short URL, 20 different ones 20`() throws {
        let service = try LiveService()
        let callers = try (0..<20).map { _ in try Caller(port: service.port) }
        let target = "/Squeeze.svc/text/\(LiveService.key)?url="
        for round in 0..<5 {
            for caller in callers { try caller.send(Client.phone.get(target + "http://example.com/same\(round)")) }
            let replies = try callers.map { try $0.receive() }
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(Set(replies.map(\.text)).count == 1)
        }
        for (index, caller) in callers.enumerated() {
            try caller.send(Client.phone.get(target + "http://example.com/\(index)"))
        }
        #expect(Set(try callers.map { try $0.receive().text }).count == 20)
        #expect(try service.report().count == 25)
    }

    @Test func `a link that was removed is squeezed anew`() throws {
        let service = try LiveService()
        let first = try service.squeeze("http://example.com/").text
        #expect(try service.store.remove(Slug(stored: String(first.dropFirst("http://s.test/".count)))))
        let second = try service.squeeze("http://example.com/").text
        #expect(second != first)
        #expect(try service.squeeze("http://example.com/").text == second)
        #expect(try service.destination(of: second) == "http://example.com/")
        #expect(try service.report().map { "http://s.test/" + $0.Encoded } == [second])
    }

    @Test func `a link added under a chosen slug is not the account's short URL`() throws {
        let service = try LiveService()
        try service.add("talk", "http://example.com/")
        #expect(try service.squeeze("http://example.com/").text != "http://s.test/talk")
    }

    // MARK: Short already

    @Test(arguments: [
        "http://s.test/ms", "HTTP://S.TEST:80/ms", "https://s.test/ms", "http://s.test./ms/", "http://s.test/ms?from=mail",
        "http://s.test/%6Ds", "http://s.test/x/../ms",
    ])
    func `a live short URL of ours comes back unchanged`(url: String) throws {
        let service = try LiveService()
        try service.add("ms", "http://microsoft.com")
        let reply = try service.squeeze(url.replacingOccurrences(of: "%", with: "%25"), .phone)
        #expect(reply.status == 200)
        #expect(reply.text == url)
        #expect(try service.report().isEmpty)
    }

    @Test func `a short URL of ours without its scheme comes back with it`() throws {
        let service = try LiveService()
        try service.add("ms", "http://microsoft.com")
        #expect(try service.squeeze("s.test/ms").text == "http://s.test/ms")
    }

    @Test(arguments: [
        "http://s.test/nothing", "http://s.test/gone", "http://s.test/", "http://s.test", "http://s.test/view/list",
        "http://s.test/healthz", "http://s.test/ms/more", "http://s.test//ms", "http://s.test/MS", "http://s.test/m%2Fs",
    ])
    func `a URL of ours that is no live link is refused`(url: String) throws {
        let service = try LiveService()
        try service.add("ms", "http://microsoft.com")
        try service.add("gone", "http://microsoft.com")
        _ = try service.store.remove(Slug(stored: "gone"))
        let reply = try service.squeeze(url.replacingOccurrences(of: "%", with: "%25"))
        #expect(reply.status == 400)
        #expect(reply.text.hasPrefix("ERROR 400: The long URL is itself at http://s.test;"))
        #expect(try service.report().isEmpty)
    }

    @Test(arguments: [
        "http://s.test:8080/ms", "http://www.s.test/ms", "http://example.com/?http://s.test/ms",
        "http://s.test@example.com/ms",
    ])
    func `a URL that only looks like ours is squeezed`(url: String) throws {
        let service = try LiveService()
        try service.add("ms", "http://microsoft.com")
        let reply = try service.squeeze(url)
        #expect(reply.status == 200)
        #expect(reply.text != url)
        #expect(try service.destination(of: reply.text) == url)
    }

    @Test func `where the service has a path of its own, slugs are looked for below it`() throws {
        let service = try LiveService(publicURL: "https://s.test/go")
        try service.add("ms", "http://microsoft.com")
        #expect(try service.squeeze("https://s.test/go/ms").text == "https://s.test/go/ms")
        #expect(try service.squeeze("https://s.test/ms").status == 400)
    }
}
