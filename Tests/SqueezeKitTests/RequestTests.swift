// What the client puts on the wire.
import Foundation
import SqueezeKit
import Testing

let key = "0123456789abcdef0123456789abcdef"

/// A client of a server for tests.
func squeezer(_ address: String, timeout: Duration = .seconds(10)) throws -> Squeezer {
    Squeezer(account: try Squeezer.Account(server: address, key: key), timeout: timeout)
}

struct RequestTests {
    @Test func `the request is a GET below the key with the long URL wholly escaped`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let short = try await squeezer(server.address).shortenURL(longURL: "http://example.com/a b?x=1&y=2#z")
        #expect(short.absoluteString == "http://s.test/ab")
        let lines = try #require(server.requests.first).components(separatedBy: "\r\n")
        #expect(
            lines[0] == "GET /Squeeze.svc/text/\(key)?url=http%3A%2F%2Fexample.com%2Fa%20b%3Fx%3D1%26y%3D2%23z HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:\(server.port)"))
        let names = lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        #expect(Set(names).isDisjoint(with: ["cookie", "authorization", "content-length", "transfer-encoding"]))
    }

    @Test(arguments: [
        "http://example.com/", "https://example.com/a?x=1&y=2", "http://example.com/a?x=1&y=2#frag",
        "http://example.com/a%20b",
        "http://example.com/s?q=a+b&c=50%25", "http://example.com/%E2%98%83", "http://example.com/☃?q=日本&r=é",
        "http://[2001:db8::1]:8080/x", "http://bücher.example/ä", "example.com/a?b=c:d",
        "http://e.com/?url=http://f.com/?url=1&a",
        "http://user@e.com/;p=1,2!$'()*@:~-_.", "http://e.com/\"<>\\^`{|}", "http://e.com/100%", "http://e.com/%zz%2",
        "HTTP://E.com/",
        "http://e.com/👩‍👩‍👧/e\u{301}", "http://e.com/\u{a0}x", "http://e.com/?a=%26%23%2B",
    ])
    func `a long URL comes through the server's reading unchanged`(longURL: String) async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        _ = try await squeezer(server.address).shortenURL(longURL: longURL)
        let read = SqueezeKitTests.longURL(inRequest: try #require(server.requests.first))
        // By bytes: as Swift strings, composed and decomposed letters are equal.
        #expect(read.map { Array($0.utf8) } == Array(longURL.utf8))
    }

    @Test func `a URL value is sent as its absolute string`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let text = "http://example.com/a?x=1&y=%26#z"
        _ = try await squeezer(server.address).shortenURL(longURL: try #require(URL(string: text)))
        #expect(longURL(inRequest: try #require(server.requests.first)) == text)
    }

    @Test func `blanks and line ends around a long URL are left off`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        _ = try await squeezer(server.address).shortenURL(longURL: " http://example.com/a\r\n")
        #expect(longURL(inRequest: try #require(server.requests.first)) == "http://example.com/a")
    }

    @Test(arguments: ["", " \n", "http://e.com/\r\nX: y", "http://e.com/\u{0}", "http://e.com/a\tb"])
    func `a long URL that is empty or holds control characters is not sent`(longURL: String) async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let error = await #expect(throws: SqueezeError.self) {
            try await squeezer(server.address).shortenURL(longURL: longURL)
        }
        guard case .invalidLongURL(let shown) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(server.connections == 0)
    }

    @Test func `the shortener may stand below a path, with or without a slash behind it`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        for address in ["\(server.address)/x.co", "\(server.address)/x.co/", " \(server.address)/x.co//\n"] {
            _ = try await squeezer(address).shortenURL(longURL: "http://a.example")
        }
        for request in server.requests {
            #expect(request.hasPrefix("GET /x.co/Squeeze.svc/text/\(key)?url=http%3A%2F%2Fa.example HTTP/1.1\r\n"))
        }
        #expect(server.requests.count == 3)
    }

    @Test func `a chosen key goes into the path as it is`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let account = try Squeezer.Account(server: server.address, key: "My-key_1.0~!$&'()*+,;=:@\n")
        _ = try await Squeezer(account: account).shortenURL(longURL: "http://a.example")
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("GET /Squeeze.svc/text/My-key_1.0~!$&'()*+,;=:@?url=http%3A%2F%2Fa.example HTTP/1.1\r\n"))
    }

    @Test func `requests one after the other share a connection`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let squeezer = try squeezer(server.address)
        for number in 1...5 { _ = try await squeezer.shortenURL(longURL: "http://a.example/\(number)") }
        #expect(server.requests.count == 5)
        #expect(server.connections == 1)
    }

    @Test func `many requests at once each get their own answer`() async throws {
        let server = try WireServer { head in
            .answer(200, "http://s.test/" + (longURL(inRequest: head)?.split(separator: "/").last ?? ""))
        }
        let squeezer = try squeezer(server.address)
        try await withThrowingTaskGroup(of: (Int, URL).self) { group in
            for number in 0..<100 {
                group.addTask { (number, try await squeezer.shortenURL(longURL: "http://a.example/\(number)")) }
            }
            for try await (number, url) in group { #expect(url.absoluteString == "http://s.test/\(number)") }
        }
    }
}
