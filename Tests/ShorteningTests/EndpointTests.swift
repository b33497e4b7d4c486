import Testing

@testable import Shortening

/// Telling URLs of the service itself from others.
struct EndpointTests {
    private let service = LongURL(stored: "https://s.example")

    @Test(arguments: [
        "https://s.example/a", "https://S.EXAMPLE:443/x", "http://s.example/a", "http://s.example:80/", "https://s.example",
        "https://s.example./a", "https://user@s.example/a", "https://s%2Eexample/a", "https:\\\\s.example\\a",
        "https://ｓ.example/",
    ])
    func `however it is spelt, a URL of the service is one`(_ text: String) throws {
        #expect(try LongURL(text, limit: 500).leads(to: service))
    }

    @Test(arguments: [
        "https://t.example/a", "https://s.example.org/", "https://s.example:8443/a", "http://s.example:8080/",
        "https://s.example@t.example/", "https://t.example/https://s.example/a", "https://www.s.example/",
        "https://s.example../",
    ])
    func `another host or port is another service`(_ text: String) throws {
        #expect(try !LongURL(text, limit: 500).leads(to: service))
    }

    @Test func `a service on a port of its own is found there only`() throws {
        let local = LongURL(stored: "http://127.0.0.1:8080/")
        #expect(try LongURL("http://127.0.0.1:8080/a", limit: 500).leads(to: local))
        #expect(try LongURL("https://0x7f.1:8080/a", limit: 500).leads(to: local))
        #expect(try !LongURL("http://127.0.0.1/a", limit: 500).leads(to: local))
    }

    @Test func `host and port are those a browser connects to`() throws {
        #expect(
            try LongURL("https://BÜCHER.example/", limit: 500).endpoint
                == Endpoint(host: "xn--bcher-kva.example", port: 443))
        #expect(
            try LongURL("http://[2001:DB8:0::1]:8080/x", limit: 500).endpoint == Endpoint(host: "[2001:db8::1]", port: 8080)
        )
        #expect(try LongURL("http://2130706433", limit: 500).endpoint == Endpoint(host: "127.0.0.1", port: 80))
        #expect(LongURL(stored: "nonsense").endpoint == nil)
        #expect(LongURL(stored: "nonsense").standardForm == nil)
        #expect(!LongURL(stored: "nonsense").leads(to: service))
    }
}
