// What proxies say of their clients: networks, the PROXY protocol's header, and the chain of forwarded addresses.
import SocketClient
import Testing

@testable import HTTP

struct ProxyTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("127.0.0.1", "::ffff:127.0.0.1", true), ("2001:db8::/32", "2001:db8:1::1", true),
        ("2001:db8::/32", "2001:db9::1", false), ("::/0", "2001:db8::1", true), ("192.0.2.128/25", "192.0.2.127", false),
    ])
    func `a network holds what its prefix says`(network: String, address: String, isInside: Bool) throws {
        #expect(try #require(Network(network)).contains(#require(ClientAddress(address))) == isInside)
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.1/8", "2001:db8::/129", "example.com", "10.0.0.0/+8", "10.0.0.0/", "/8"])
    func `what is no network is refused`(text: String) { #expect(Network(text) == nil) }

    @Test func `two spellings of an address are one client`() {
        #expect(ClientAddress("2001:db8:85a3::8a2e:370:7334") == ClientAddress("2001:DB8:85A3:0:0:8a2e:370:7334"))
        #expect(ClientAddress("::ffff:192.0.2.1") == ClientAddress("192.0.2.1"))
        #expect(ClientAddress("fe80::1%eth0") == ClientAddress("fe80::1"))
        #expect(ClientAddress("192.0.2.256") == nil && ClientAddress("1.2.3") == nil)
        #expect(ClientAddress("192.0.2.1\0.example") == nil && ClientAddress("::1\0") == nil)
    }

    @Test func `no text and no header names the clients on local sockets, whom nobody brakes`() throws {
        for text in ["::", "::1", "ffff:ffff:ffff:ffff::", "local", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"] {
            #expect(ClientAddress(text) != .local && ClientAddress(text)?.site != .local)
        }
        #expect(ClientAddress("::")?.text == "::")
        let everywhere = try #require(Network("::/0"))
        #expect(!everywhere.contains(.local))
        let local = try #require(Network("local"))
        #expect(try local.contains(.local) && !local.contains(#require(ClientAddress("::"))))
        for byte: UInt8 in [0, 0xff] {
            let header = Self.version2(1, 0x21, [UInt8](repeating: byte, count: 36))
            if case .header(_, let client) = ProxyHeader(header.span) { #expect(client != .local && client != nil) }
        }
    }

    @Test func `no text is the address of a local socket, and NUL is in none`() throws {
        let any = try #require(ClientAddress("::"))
        #expect(any != .local && any.text == "::" && any.site == any)
        let local = try #require(Network("local"))
        #expect(local.contains(.local) && !local.contains(any) && !local.contains(.unnamed))
        for network in ["::/0", "::", "0.0.0.0/0", "::/96"] {
            #expect(try !#require(Network(network)).contains(.local), "\(network)")
        }
        #expect(ClientAddress("192.0.2.7\0") == nil && ClientAddress("2001:db8::1\0junk") == nil)
    }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    private static func version2(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        signature + [0x20 | command, family, UInt8(rest.count >> 8), UInt8(rest.count & 255)] + rest
    }

    @Test func `both versions name the client, at every split`() throws {
        let client = try #require(ClientAddress("192.0.2.7"))
        let text = Array("PROXY TCP4 192.0.2.7 198.51.100.1 51234 443\r\n".utf8)
        let binary = Self.version2(1, 0x11, [192, 0, 2, 7, 198, 51, 100, 1, 0xc8, 0x22, 1, 0xbb])
        let extended = Self.version2(1, 0x11, [192, 0, 2, 7, 198, 51, 100, 1, 0xc8, 0x22, 1, 0xbb, 4, 0, 1, 9])
        for header in [text, binary, extended] {
            for length in 0..<header.count {
                #expect(ProxyHeader(Array(header[..<length]).span) == .incomplete, "\(length)")
            }
            #expect(ProxyHeader((header + Array("GET /".utf8)).span) == .header(length: header.count, client: client))
        }
    }

    @Test func `IPv6 and the proxy's own connections are known`() throws {
        let six = try #require(ClientAddress("2001:db8::1"))
        let text = Array("PROXY TCP6 2001:db8::1 2001:db8::2 1 2\r\n".utf8)
        #expect(ProxyHeader(text.span) == .header(length: text.count, client: six))
        let addresses: [UInt8] = [0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
        let binary = Self.version2(1, 0x21, addresses + addresses + [0, 1, 0, 2])
        #expect(ProxyHeader(binary.span) == .header(length: binary.count, client: six))
        #expect(ProxyHeader(Array("PROXY UNKNOWN\r\n".utf8).span) == .header(length: 15, client: nil))
        #expect(ProxyHeader(Self.version2(0, 0, []).span) == .header(length: 16, client: nil))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "PROXY TCP4 192.0.2.7\r\n", "PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n", "PROXI",
        "PROXY TCP4 192.0.2.7 198.51.100.1 51234 443\n", "PROXY TCP4 192.0.2.7 198.51.100.1 99999 443\r\n",
        "PROXY " + String(repeating: "x", count: 200), "PROXY TCP4 192.0.2.7 198.51.100.1 +1 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1 0443\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 -0 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 \u{0661} 443\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1  443\r\n",
        "PROXY TCP4 192.0.2.7\0 198.51.100.1 1 443\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1\0x 1 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1 443\0\r\n", "PROXY TCP6 192.0.2.7 198.51.100.1 1 443\r\n",
        "PROXY TCP4 ::ffff:192.0.2.7 ::ffff:198.51.100.1 1 443\r\n", "PROXY TCP6 fe80::1%eth0 2001:db8::2 1 2\r\n",
        "PROXY TCP6 2001:db8::1 198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.7 ::1 51234 443\r\n", "PROXY TCP6 fe80::1%\u{7} ::1 51234 443\r\n",
        "PROXY TCP5 192.0.2.7 198.51.100.1 1 2\r\n",
    ])
    func `what is no header is seen at once`(text: String) {
        #expect(ProxyHeader(Array(text.utf8).span) == .malformed)
    }

    @Test func `an unknown version, command or family is no header`() {
        var wrong = Self.version2(1, 0x11, [UInt8](repeating: 0, count: 12))
        wrong[12] = 0x11
        #expect(ProxyHeader(wrong.span) == .malformed)
        #expect(ProxyHeader(Self.version2(2, 0x11, [UInt8](repeating: 0, count: 12)).span) == .malformed)
        #expect(ProxyHeader(Self.version2(1, 0x11, [1, 2, 3]).span) == .malformed)
        #expect(ProxyHeader((Self.signature + [0x21, 0x11, 0xff, 0xff]).span) == .malformed)
    }
}

/// Over real sockets: whom a server believes.
struct ForwardingTests {
    private static func server(trusting networks: [String], hasPreface: Bool = false) throws -> TestServer {
        var options = ServerOptions()
        options.proxies = TrustedProxies(networks.compactMap { Network($0) })
        return try TestServer(options: options, hasPreface: hasPreface) { request, answer in
            answer.send(Response(.ok, type: "text/plain", "\(request.client.text) \(request.isSecure ? "https" : "http")"))
        }
    }

    private static func ask(_ server: TestServer, _ fields: String, before: String = "") async throws -> String {
        let client = try server.connect()
        return try await client.ask("\(before)GET / HTTP/1.1\r\nHost: s.example\r\n\(fields)\r\n").text
    }

    @Test func `a stranger's word is nothing`() async throws {
        let server = try Self.server(trusting: ["10.0.0.0/8"])
        #expect(
            try await Self.ask(server, "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n") == "127.0.0.1 http")
    }

    @Test(arguments: [
        ("X-Forwarded-For: 192.0.2.1\r\n", "192.0.2.1 http"),
        ("X-Forwarded-For: 203.0.113.9, 192.0.2.1\r\n", "192.0.2.1 http"),
        ("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 10.1.2.3\r\nX-Forwarded-Proto: https\r\n", "192.0.2.1 https"),
        ("X-Forwarded-For: 192.0.2.1, nonsense, 10.1.2.3\r\n", "10.1.2.3 http"), ("", "127.0.0.1 http"),
        ("Forwarded: for=203.0.113.9, for=\"[2001:db8::1]:4711\";proto=https\r\n", "2001:db8::1 https"),
        ("X-Forwarded-For: 192.0.2.1:5000\r\n", "192.0.2.1 http"),
        ("X-Forwarded-For: ::ffff:192.0.2.1\r\n", "192.0.2.1 http"), ("X-Forwarded-For: ::\r\n", ":: http"),
        // The right-most proxy says that it had a client and not whom: what stands left of it is that client's own.
        ("Forwarded: for=203.0.113.9, proto=https\r\n", "127.0.0.1 https"),
        ("Forwarded: for=203.0.113.9, for=_hidden\r\n", "127.0.0.1 http"),
    ])
    func `a trusted proxy names its client, which is the right-most stranger`(fields: String, wanted: String) async throws {
        let server = try Self.server(trusting: ["127.0.0.1", "10.0.0.0/8"])
        #expect(try await Self.ask(server, fields) == wanted)
    }

    @Test(arguments: ["X-Forwarded-For: ", "Forwarded: for="])
    func `of a long list only its end is looked at`(field: String) async throws {
        let server = try Self.server(trusting: ["127.0.0.1", "10.0.0.0/8"])
        func list(_ hops: [String]) -> String {
            field + hops.joined(separator: field.hasPrefix("X") ? ", " : ", for=") + "\r\n"
        }
        let madeUp = [String](repeating: "203.0.113.9", count: 500)
        #expect(try await Self.ask(server, list(madeUp + ["192.0.2.1", "10.1.2.3"])) == "192.0.2.1 http")
        let chain = (1...30).map { "10.0.0.\($0)" }
        #expect(try await Self.ask(server, list(madeUp + ["192.0.2.1"] + chain)) == "10.0.0.15 http")
        let two = list(madeUp + ["192.0.2.1"]) + list(chain)
        #expect(try await Self.ask(server, two) == "10.0.0.15 http", "over all fields together")
    }

    /// A proxy that writes one kind of field and passes on the other as its client made it up.
    @Test(arguments: [
        ("X-Forwarded-For: 203.0.113.9\r\nForwarded: for=192.0.2.1\r\n", "127.0.0.1 http"),
        ("Forwarded: for=203.0.113.9\r\nX-Forwarded-For: 192.0.2.1\r\n", "127.0.0.1 http"),
        ("X-Forwarded-For: 192.0.2.1\r\nForwarded: for=\"192.0.2.1:4711\"\r\n", "192.0.2.1 http"),
        ("X-Forwarded-For: 203.0.113.9, 10.1.2.3\r\nForwarded: for=192.0.2.1, for=10.1.2.3\r\n", "10.1.2.3 http"),
        ("X-Forwarded-For: 192.0.2.1, 10.1.2.3\r\nForwarded: for=10.1.2.3\r\n", "10.1.2.3 http"),
        ("X-Forwarded-For: 203.0.113.9\r\nForwarded: proto=http\r\n", "127.0.0.1 http"),
        (
            "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1;proto=http\r\nX-Forwarded-Proto: https\r\n",
            "192.0.2.1 http"
        ),
        ("Forwarded: for=192.0.2.1;proto=https\r\nX-Forwarded-Proto: https\r\n", "192.0.2.1 https"),
    ])
    func `of X-Forwarded-For and Forwarded together only what both say is believed`(
        fields: String, wanted: String
    ) async throws {
        let server = try Self.server(trusting: ["127.0.0.1", "10.0.0.0/8"])
        #expect(try await Self.ask(server, fields) == wanted)
    }

    @Test func `behind a proxy on a local socket nobody becomes a program of this machine`() throws {
        let proxies = TrustedProxies(["local", "10.0.0.0/8"].compactMap { Network($0) })
        func client(_ fields: String) throws -> String {
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
            guard case .head(let head) = RequestParser(limits: Limits()).parse(bytes.span) else {
                throw RequestFault(.badRequest, "a test's own mistake")
            }
            let peer = Peer(address: .local, isSecure: false, proxies: proxies)
            defer { withExtendedLifetime(peer) {} }
            return unsafe Request(head: head, bytes: bytes.span, body: bytes.span.extracting(0..<0), peer: peer).client.text
        }
        #expect(try client("") == "local")
        #expect(try client("X-Forwarded-For: 192.0.2.1\r\n") == "192.0.2.1")
        #expect(try client("X-Forwarded-For: nonsense\r\n") == "unknown")
        #expect(try client("X-Forwarded-For: 192.0.2.1\r\nForwarded: for=203.0.113.9\r\n") == "unknown")
        #expect(try client("X-Forwarded-For: 192.0.2.1, local\r\n") == "unknown")
        #expect(try client("Forwarded: proto=http\r\n") == "unknown")
    }

    @Test func `the PROXY protocol's client is believed from a trusted peer alone`() async throws {
        let header = "PROXY TCP4 192.0.2.7 198.51.100.1 51234 443\r\n"
        let trusting = try Self.server(trusting: ["127.0.0.1"], hasPreface: true)
        #expect(try await Self.ask(trusting, "", before: header) == "192.0.2.7 http")
        // The named client is no proxy: what it says of others is nothing.
        #expect(try await Self.ask(trusting, "X-Forwarded-For: 203.0.113.9\r\n", before: header) == "192.0.2.7 http")
        await #expect(throws: (any Error).self) { try await Self.ask(trusting, "") }
        let strict = try Self.server(trusting: ["10.0.0.0/8"], hasPreface: true)
        await #expect(throws: (any Error).self) { try await Self.ask(strict, "", before: header) }
    }
}
