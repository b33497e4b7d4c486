import Foundation
import Testing

@testable import HTTP
@testable import Web

/// Text on its way into JSON and HTML, and what the client would rather have.
struct TextTests {
    @Test(arguments: [
        "", "plain", "\"quoted\\\"", "\r\n\t\u{8}\u{c}", "</script><script>x</script>", "a&b", "\0\u{1f}\u{7f}\u{85}\u{9f}",
        "\u{2028}\u{2029}", "ü ☃ 😀 e\u{301} \u{200d}", "\u{feff}", "/",
    ])
    func `a text comes back from JSON as it was`(_ text: String) throws {
        let json = jsonText(text)
        let read = try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8))
        #expect(read.first.map { Array($0.utf8) } == Array(text.utf8))
        for scalar in json.unicodeScalars {
            #expect(
                scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value) && scalar != "<" && scalar != ">"
                    && scalar != "&")
            #expect(scalar != "\u{2028}" && scalar != "\u{2029}")
        }
    }

    @Test func `every character becomes one JSON string and the same character`() throws {
        for value in UInt32(0)...0x3000 {
            guard let scalar = UnicodeScalar(value) else { continue }
            let text = String(Character(scalar))
            let read = try JSONDecoder().decode([String].self, from: Data("[\(jsonText(text))]".utf8))
            if read.first.map({ Array($0.unicodeScalars) }) != [scalar] { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test(arguments: [
        ("a", "a"), ("<b>", "&lt;b&gt;"), ("\"x\"", "&quot;x&quot;"), ("'", "&#39;"), ("&amp;", "&amp;amp;"),
        ("\"><script>x</script>", "&quot;&gt;&lt;script&gt;x&lt;/script&gt;"), ("a\r\nb", "a\r\nb"), ("ü😀", "ü😀"),
        ("?a=1&para=2&copy=3", "?a=1&amp;para=2&amp;copy=3"),
    ])
    func `text in a page is escaped once`(_ text: String, _ html: String) { #expect(Pages.escaped(text) == html) }

    @Test(arguments: [
        ("", false), ("Accept: */*", false), ("Accept: text/html", false), ("Accept: application/json", true),
        ("Accept: Application/JSON;q=0.9", true), ("Accept: application/problem+json", true),
        ("Accept: text/html,application/json", false),
        ("Accept: application/json, text/plain, */*", true), ("Accept: application/json\r\nAccept: text/html", false),
        ("Accept: text/plain\r\nAccept: application/json ", true),
        ("Accept: application/xhtml+xml,application/json", false),
        ("Accept: ,, application/json ;q=1", true), ("Accept: application/jsonp", false), ("Accept:", false),
    ])
    func `JSON is for whoever names it and not HTML`(_ field: String, _ wantsJSON: Bool) {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(field.isEmpty ? "" : field + "\r\n")\r\n".utf8)
        #expect(withRequest(bytes) { Pages.prefersJSON($0) } == wantsJSON)
    }
}
