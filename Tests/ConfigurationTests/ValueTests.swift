// Single values: what is understood, and what is not.
import Testing

@testable import Configuration

struct ValueTests {
    @Test(arguments: [
        ("127.0.0.1:8080", ListenAddress.address(host: "127.0.0.1", port: 8080)),
        ("0.0.0.0:0", .address(host: "0.0.0.0", port: 0)),
        ("[::1]:8080", .address(host: "::1", port: 8080)), ("[::]:65535", .address(host: "::", port: 65_535)),
        ("[fe80::1%eth0]:80", .address(host: "fe80::1%eth0", port: 80)),
        ("localhost:80", .address(host: "localhost", port: 80)),
        (":8080", .any(port: 8080)), ("unix:/run/shorty.sock", .local(path: "/run/shorty.sock")),
        ("unix:s", .local(path: "s")),
    ])
    func `an address is understood and written again`(text: String, address: ListenAddress) {
        #expect(ListenAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:99999999999999999999", "127.0.0.1:-1",
        "127.0.0.1:+1",
        "::1:8080", "[::1]", "[127.0.0.1]:80", "[::1%]:80", "example.com:80", "256.0.0.1:80", "1.2.3:80", "unix:",
        "127.0.0.1:80/",
        "http://127.0.0.1:80", "127.0.0.1%lo:80", "[]:80", " 127.0.0.1:80", "unix:/" + String(repeating: "x", count: 107),
    ])
    func `what is no address is refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: ["tls:127.0.0.1:443", "tls::443", "tls:[::1]:0", "tls:unix:/s"])
    func `an address with tls before it is a secure one`(text: String) throws {
        let endpoint = try #require(ListenEndpoint(text))
        #expect(endpoint.isSecure && endpoint.description == text)
        let plain = try #require(ListenEndpoint(String(text.dropFirst(4))))
        #expect(!plain.isSecure && plain.address == endpoint.address)
    }

    @Test(arguments: ["tls:", "tls", "tls:443", "tls:tls::443", "TLS::443", "ssl::443", "tls: :443"])
    func `what is no secure address is refused`(text: String) {
        #expect(ListenEndpoint(text) == nil)
    }

    @Test(arguments: [
        ("max-age=0", true), ("max-age=31536000; includeSubDomains", true),
        ("includeSubDomains;max-age=1; preload", true), ("MAX-AGE=5", true), ("", true),
        ("max-age", false), ("max-age=", false), ("max-age=-1", false), ("max-age=1y", false), ("31536000", false),
        ("max-age=1; max-age=2", false), ("max-age=1\r\nX: y", false), ("max-age=1; x", false),
        ("includeSubDomains", false),
    ])
    func `a strict-transport-security has a max-age and nothing unknown`(text: String, isAllowed: Bool) throws {
        let definition = try #require(SettingDefinition.named("server.strict-transport-security"))
        var settings = Settings()
        #expect(definition.apply(.text(text), &settings) == isAllowed)
        #expect(settings.server.strictTransport == (isAllowed && !text.isEmpty ? text : nil))
    }

    @Test(arguments: [
        ("https://s.example", "https://s.example"), ("HTTPS://S.Example/", "https://s.example"),
        ("http://s.example:8080", nil),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"), ("http://[2001:DB8::1]:80", "http://[2001:db8::1]:80"),
        ("https://xn--bcher-kva.example", nil), ("http://localhost", nil),
    ])
    func `a public URL is kept without its slash`(text: String, kept: String?) {
        #expect(PublicURL(text)?.text == kept ?? text)
    }

    @Test(arguments: [
        "", "s.example", "//s.example", "ftp://s.example", "https://", "https:///", "https://s.example/path",
        "https://s.example//",
        "https://s.example?x", "https://s.example#x", "https://me@s.example", "https://s.example:", "https://s.example:0",
        "https://s.example:65536", "https://s example", "https://bücher.example", "https://s..example", "https://1.2.3.4.5",
        "https://[::1", "https://[]", "https://s.example\n", "https://:80",
    ])
    func `what is no public URL is refused`(text: String) {
        #expect(PublicURL(text) == nil)
    }

    @Test(arguments: [
        ("10", Duration.seconds(10)), ("10s", .seconds(10)), ("500ms", .milliseconds(500)), ("1m", .seconds(60)),
        ("2h", .seconds(7_200)),
        ("0.5", .milliseconds(500)), ("1.25s", .milliseconds(1_250)), ("0", .zero), ("0.1m", .seconds(6)),
    ])
    func `a time is understood`(text: String, duration: Duration) {
        #expect(Quantity.duration(text) == duration)
    }

    @Test(arguments: [
        "", "s", "-1", "+1", "1 s", "1S", "1min", "1.s", "1.0001", "0.5ms", "1d", "99999999999999999999",
        "9223372036854775807h", "1e3", "١",
    ])
    func `what is no time is refused`(text: String) {
        #expect(Quantity.duration(text) == nil)
    }

    @Test(arguments: [
        ("0", 0), ("1048576", 1 << 20), ("512B", 512), ("1KiB", 1_024), ("64MiB", 64 << 20), ("2GiB", 2 << 30),
    ])
    func `a size is understood`(text: String, bytes: Int) {
        #expect(Quantity.size(text) == bytes)
    }

    @Test(arguments: ["", "KiB", "1k", "1K", "1KB", "1M", "1.5MiB", "-1", "1 KiB", "9223372036854775807GiB", "1mib"])
    func `what is no size is refused`(text: String) {
        #expect(Quantity.size(text) == nil)
    }

    @Test func `quantities are written in their largest whole unit`() {
        #expect(
            [0, 1_000, 1_024, 1_536, 64 << 20, 3 << 30].map(Quantity.shown(size:)) == [
                "0", "1000", "1KiB", "1536", "64MiB", "3GiB",
            ])
        let times: [Duration] = [.zero, .milliseconds(500), .seconds(10), .seconds(60), .seconds(90), .seconds(7_200)]
        #expect(times.map(Quantity.shown(duration:)) == ["0s", "500ms", "10s", "1m", "90s", "2h"])
    }

    @Test(arguments: [
        ("limits.ur", "limits.url"), ("limit.url", "limits.url"), ("limits.URL", "limits.url"),
        ("limits.ulr", "limits.url"),
        ("log.acces", "log.access"), ("zzz", nil), ("", nil),
    ])
    func `the nearest name is found`(name: String, nearest: String?) {
        #expect(nearestName(to: name, among: SettingDefinition.all.map(\.key)) == nearest)
    }
}

struct AliasRuleTests {
    @Test(arguments: [
        "/showrandom.php=flowers/random?color", "/d=flowers/detail", "/a~b_c-d.e=x.y/random?q", "/..a=x/random",
    ])
    func `an alias is read and written alike`(text: String) { #expect(AliasRule(text)?.description == text) }

    @Test func `its parts are what they look like`() {
        let alias = AliasRule("/photo.php=flowers/random?color")
        #expect(alias?.path == "/photo.php" && alias?.collection == "flowers")
        #expect(alias?.purpose == .random && alias?.tagParameter == "color")
        #expect(AliasRule("/photo.php=flowers/detail?tag")?.tagParameter == "tag")
    }

    @Test(arguments: [
        "", "photo.php=flowers/random", "/photo.php", "/=flowers/random", "/a/b=flowers/random", "/a=flowers",
        "/a=flowers/all",
        "/a=/random", "/a=flowers/random/x", "/a=flowers/random?", "/a=flowers/random?a=b", "/a b=flowers/random",
        "/ä=flowers/random", "/a=fl%20/random", "/..=flowers/random",
    ])
    func `anything else is none`(text: String) { #expect(AliasRule(text) == nil) }
}
