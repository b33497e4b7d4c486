import Glibc
import Sanitizer
import Testing

@testable import Shortening

/// What is kept, what is mended, what is refused.
struct LongURLTests {
    private func stored(_ text: String, limit: Int = 500) throws -> String { try LongURL(text, limit: limit).text }

    private func error(_ text: String, limit: Int = 500) -> LongURLError? {
        do throws(LongURLError) {
            _ = try LongURL(text, limit: limit)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "https://example.com/?red+42", "https://example.com/2+2_(x)?q=2+2%2B2", "https://example.com/bad%20space/",
        "https://example.com/v1?q=%27%25adler%25%27",
        "https://example.com/r?u=https%3A%2F%2Fexample.org%2F%3Fq%3Da%2520b%26x%3D1%23f&k=1",
        "https://xn--bcher-kva.example/", "http://[2001:db8::1]:8080/x", "http://127.0.0.1:2342/", "http://localhost:8000/",
        "http://intranet/", "https://name.inc/", "https://example.com/?a=1&para=2&copy=3&amp=4", "http://microsoft.com",
        "http://EXAMPLE.com/a/../b", "HTTP://Example.COM/%7euser", "http://0x7f.1/", "http://127.1",
        "http://example.com:80/",
        "http://example.com:/", "http://example.com?q", "http://example.com#f", "http://u:p@example.com/",
        "http://@example.com/",
        "http://example.com/?q='a'", "https://example.com/a//b/./c", "http://example.com./", "http://ex%41mple.com/",
        "http://XN--BCHER-KVA.example/", "https://[::FFFF:192.0.2.1]/", "http://a_b.example/", "https://h/?/?#/?",
    ])
    func `a well-formed URL is kept byte for byte`(_ text: String) throws {
        #expect(try stored(text) == text)
        #expect(try LongURL(Array(text.utf8).span, limit: 500).text == text)
        #expect(try LongURL(kindly: text, limit: 500).text == text)
    }

    @Test(arguments: [
        ("https://example.com/a%20b c", "https://example.com/a%20b%20c"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://bu\u{308}cher.example/", "https://xn--bcher-kva.example/"),
        ("https://b%C3%BCcher.example/", "https://xn--bcher-kva.example/"),
        ("http://☃.net/", "http://xn--n3h.net/"), ("http://i❤.ws", "http://xn--i-7iq.ws/"),
        ("https://Faẞ.de/", "https://xn--fa-hia.de/"), ("https://faß.de/", "https://xn--fa-hia.de/"),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"), ("https://１２７.1/", "https://127.0.0.1/"),
        ("https:///path", "https://path/"), ("https:\\\\evil.example\\x", "https://evil.example/x"),
        ("http:example.com", "http://example.com/"), ("http:////example.com", "http://example.com/"),
        ("https://example.com/\r\nX-Test: 1", "https://example.com/X-Test:%201"),
        ("https://example.com/\nX-Test: 1", "https://example.com/X-Test:%201"),
        ("https://example.com/\rX-Test: 1", "https://example.com/X-Test:%201"),
        (" https://example.com/ ", "https://example.com/"), ("https://example.com/\n", "https://example.com/"),
        ("\0\u{1f}https://example.com/\u{1}", "https://example.com/"),
        ("https://example.com/a b?c d", "https://example.com/a%20b?c%20d"), ("https://x/a\0b", "https://x/a%00b"),
        ("https://example.com/café?é#é", "https://example.com/caf%C3%A9?%C3%A9#%C3%A9"),
        ("https://example.com/%zz/../^{}`|\"<>", "https://example.com/%5E%7B%7D%60|%22%3C%3E"),
        ("https://example.com/?a[]=1|'\"<>^`{}", "https://example.com/?a[]=1|%27%22%3C%3E^`{}"),
        ("https://example.com/#a#`\"<>'", "https://example.com/#a#%60%22%3C%3E'"),
        ("http://a@b:c@[::1]:080/", "http://a%40b:c@[::1]/"), ("https://h/a/./b/%2e%2E/c d", "https://h/a/c%20d"),
        ("https://example.com/\"><script>x</script>", "https://example.com/%22%3E%3Cscript%3Ex%3C/script%3E"),
        ("http://[1:0:0:2:0:0:0:3]/ ", "http://[1:0:0:2::3]/"), ("http://[::1.2.3.4]/ ", "http://[::102:304]/"),
        ("http://[1::]/ ", "http://[1::]/"), ("http://[::]/ ", "http://[::]/"),
        ("http://[1:2:3:4:5:6:7::]/ ", "http://[1:2:3:4:5:6:7:0]/"),
    ])
    func `anything else becomes what a browser makes of it`(_ text: String, _ wanted: String) throws {
        #expect(try stored(text) == wanted)
        #expect(try LongURL(text, limit: 500).standardForm == wanted)
    }

    @Test(
        arguments: [
            ("", .empty), (" ", .empty), ("\r\n", .empty), ("example.com/a", .noScheme), ("//example.com/x", .noScheme),
            ("/admin", .noScheme), ("?x=1", .noScheme), ("\\\\evil.example", .noScheme), ("/\\evil.example", .noScheme),
            ("1http://a/", .noScheme), ("http//a/", .noScheme), ("http://", .noHost), ("https://?x", .noHost),
            ("http:#", .noHost),
            ("http://u@/x", .noHost), ("http://:80/", .noHost), ("javascript:alert(1)", .scheme("javascript")),
            ("JaVaScRiPt:alert(1)", .scheme("JaVaScRiPt")), (" javascript:alert(1)", .scheme("javascript")),
            ("java\tscript:alert(1)", .scheme("javascript")), ("\u{1}javascript:alert(1)", .scheme("javascript")),
            ("data:text/html,x", .scheme("data")), ("vbscript:x", .scheme("vbscript")),
            ("file:///etc/passwd", .scheme("file")),
            ("blob:https://example.com/x", .scheme("blob")), ("ftp://example.com/", .scheme("ftp")),
            ("view-source:http://a/", .scheme("view-source")), ("localhost:8000/", .noScheme),
            ("LOCALHOST:8000/", .noScheme),
            ("example.com:8080/x", .noScheme), ("example.com:x", .scheme("example.com")), ("tel:112", .scheme("tel")),
            ("http://[::1/x", .host("[::1")), ("http://[::1]x/", .host("[::1]x")),
            ("http://[fe80::1%25eth0]/", .host("[fe80::1%25eth0]")),
            ("http://[v1.a]/", .host("[v1.a]")), ("http://exa mple.com/", .host("exa mple.com")),
            ("http://a%00b/", .host("a%00b")), ("http://256.1.1.1/", .host("256.1.1.1")),
            ("http://\u{ad}/", .host("\u{fffd}")),
            ("http://xn--/", .host("xn--")), ("http://xn--a/", .host("xn--a")),
            ("http://xn--xn--a--gua.pt/", .host("xn--xn--a--gua.pt")),
            ("http://xn--ls8h=/", .host("xn--ls8h=")), ("http://יa/", .host("יa")),
            ("http://a\u{200d}b/", .host("a\u{fffd}b")),
            ("http://example.com:99999/", .port("99999")), ("http://example.com:65536/", .port("65536")),
            ("http://example.com:8a/", .port("8a")), ("http://example.com:-1/", .port("-1")),
            ("http://example.com:18446744073709551697/", .port("18446744073709551697")),
        ] as [(String, LongURLError)])
    func `what a browser does not open, and every other scheme, is refused by name`(_ text: String, _ wanted: LongURLError)
    {
        #expect(error(text) == wanted)
    }

    @Test(arguments: [500, 512, 513, 2_083, 3_500, 8_000])
    func `the limit counts characters of the stored form`(_ limit: Int) throws {
        let base = "https://example.com/"
        let fits = base + String(repeating: "x", count: limit - base.count)
        #expect(try stored(fits, limit: limit) == fits)
        #expect(error(fits + "x", limit: limit) == .tooLong(limit: limit, length: limit + 1))
        #expect(try stored("  \(fits)\r\n", limit: limit) == fits)
        // Each é is six characters once it is encoded.
        let encoded = base + String(repeating: "é", count: (limit - base.count) / 6 + 1)
        #expect(encoded.count < limit)
        #expect(
            error(encoded, limit: limit) == .tooLong(limit: limit, length: base.count + ((limit - base.count) / 6 + 1) * 6))
    }

    @Test func `a URL without end is refused quickly`() {
        // Under a sanitizer a quarter is as slow.
        let size = Sanitizer.isOn ? 1 << 16 : 1 << 18
        let many = String(repeating: "x", count: size)
        let start = Self.processorTime
        #expect(error("https://h/" + many) == .tooLong(limit: 500, length: size + 10))
        #expect(error("https://" + many + "/") == .tooLong(limit: 500, length: size + 9))
        #expect(error("https://xn--" + many + "/") != nil)
        #expect(error("https://ü" + many + "/") != nil)
        #expect(error("https://h/" + String(repeating: "../a/", count: size / 5) + " ?") == nil)
        #expect(error("https://h/" + String(repeating: "é/", count: size / 3)) != nil)
        #expect(error("https://" + String(repeating: "1.", count: size / 2)) != nil)
        #expect(error("http:\\\\h:" + String(repeating: "0", count: size)) == nil)
        #expect(Self.processorTime - start < 8)
    }

    /// Seconds that this thread had a processor; other programs' load does not count.
    private static var processorTime: Int {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec
    }

    @Test func `bytes that are no text are refused`() {
        for bytes: [UInt8] in [[0xc3, 0x28], [0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xe2, 0x98]] {
            let url = Array("https://example.com/".utf8) + bytes
            do throws(LongURLError) {
                _ = try LongURL(url.span, limit: 500)
                Issue.record("accepted")
            } catch { #expect(error == .notUTF8) }
        }
    }

    @Test(arguments: [
        ("example.com/a", "http://example.com/a"), ("www.example.com", "http://www.example.com"),
        ("  example.com/a?u=http://b/@c:d\r\n", "http://example.com/a?u=http://b/@c:d"),
        ("Example.COM", "http://Example.COM"),
        ("bücher.example", "http://xn--bcher-kva.example/"), ("127.0.0.1/x", "http://127.0.0.1/x"),
        ("example.com:8000/", "http://example.com:8000/"), ("localhost/a", "http://localhost/a"),
        ("localhost:8000", "http://localhost:8000"), ("Localhost:80", "http://Localhost:80"),
        ("example.com?q", "http://example.com?q"),
        ("example.com\\a", "http://example.com/a"),
        ("https://example.com/", "https://example.com/"), ("https:\\\\a.example", "https://a.example/"),
    ])
    func `people may leave out the scheme of localhost and of a host with a dot`(_ text: String, _ wanted: String) throws {
        #expect(try LongURL(kindly: text, limit: 500).text == wanted)
    }

    @Test(arguments: [
        "", " ", "example", "example:8000", "tel:112", "example.com:x", "a.b:1:2", ":80", "user@example.com", "u:1@a.b",
        "//example.com/x",
        "/a.b", "?a.b", "#a.b", "\\\\evil.example", "/\\evil.example", "javascript:alert(1.5)", "java\tscript:a.b", "a b.c",
        "mailto:a@b.example", "data:text/html,a.b", "file:///a.b",
    ])
    func `kindness makes no URL of anything else`(_ text: String) {
        do throws(LongURLError) {
            let url = try LongURL(kindly: text, limit: 500)
            Issue.record("accepted as \(url.text)")
        } catch { #expect(!error.message.isEmpty) }
    }

    @Test func `messages name the value, short and without control characters`() {
        let long = String(repeating: "é", count: 10_000)
        for text in [
            "http://\(long) /", "http://h:\(long)/", "http://a\u{202e}b\u{7}c /", "http://\u{2028}\0 a/", "a:b", "x", "",
        ] {
            guard let error = error(text) else {
                Issue.record("accepted \(text.prefix(20))")
                continue
            }
            #expect(error.message.unicodeScalars.count < 200)
            #expect(
                error.message.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && $0 != "\u{7f}" && $0 != "\u{202e}" && $0 != "\u{2028}"
                })
        }
        #expect(error("ftp://a/")?.message.contains("\"ftp\"") == true)
        #expect(error("http://a b/")?.message.contains("\"a b\"") == true)
        #expect(error("https://h/" + long)?.message.contains("60010") == true)
        #expect(LongURLError.notUTF8.message.contains("UTF-8"))
    }
}
