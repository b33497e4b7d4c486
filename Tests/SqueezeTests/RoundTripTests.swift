// Every way of escaping that clients are known for, each over long URLs that are hard on it: all lead back to the same bytes.
import Foundation
import Testing

@Suite struct RoundTripTests {
    /// A client's way to put a long URL behind `?url=`.
    struct Encoder: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let encode: @Sendable (String) -> String
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    private static func keeping(_ characters: String, spaceAs space: String = "%20") -> @Sendable (String) -> String {
        let kept = Set((letters + characters).utf8)
        return { text in
            text.utf8.map { byte in
                if byte == UInt8(ascii: " ") { return space }
                if kept.contains(byte) { return String(UnicodeScalar(byte)) }
                return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }.joined()
        }
    }

    static let encoders = [
        Encoder(testDescription: "what RFC 2396 forbids (the Shorty app)", encode: keeping("!$&'()*+,-./:;=?@_~")),
        Encoder(testDescription: "encodeURIComponent", encode: keeping("-_.!~*'()")),
        Encoder(testDescription: "a form's urlencode", encode: keeping("-_.*", spaceAs: "+")),
        Encoder(testDescription: "URLQueryItem") { text in
            var components = URLComponents()
            components.queryItems = [URLQueryItem(name: "url", value: text)]
            return String(components.percentEncodedQuery?.dropFirst("url=".count) ?? "")
        },
        Encoder(testDescription: "urlQueryAllowed") {
            $0.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
        },
        Encoder(testDescription: "urlHostAllowed", encode: keeping("!$&'()*+,-.;=_~")),
    ]

    static let longURLs = [
        "http://example.com/a?x=1&y=2#frag", "http://example.com/a%20b", "http://example.com/s?q=a+b&c=50%25",
        "http://example.com/%E2%98%83", "http://[2001:db8::1]:8080/x", "https://example.com/?q=2+2%2B2&r=%26%3D%23",
        "http://example.com/?url=http://b.example/?url=c&d=e", "HTTP://Example.COM:80/~a/(b)/c;d=e,f!g*h'i$j@k",
        "https://example.com/a?b?c=%3F", "http://user:secret@example.com/?a=b&&c",
        "https://example.com/?x=%252525&y=Optional(%22a%22)",
    ]

    @Test(arguments: encoders)
    func `a long URL comes through byte for byte`(encoder: Encoder) throws {
        let service = try LiveService()
        for longURL in Self.longURLs {
            let sent = encoder.encode(longURL)
            let reply = try service.squeeze(sent)
            #expect(reply.status == 200, "\(sent): \(reply.text)")
            let destination = try service.destination(of: reply.text)
            #expect(destination == longURL, "sent as \(sent)")
        }
    }
}
