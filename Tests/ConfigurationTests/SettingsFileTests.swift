// From bytes to values by key: what a file may look like, and what is said about one that is damaged.
import Testing

@testable import Configuration

struct SettingsFileTests {
    @Test(arguments: [
        ("{a:{b:1,},}", SettingInput.literal("1")), ("{'a':{\"b\":1}}", .literal("1")), ("{'a.b':1}", .literal("1")),
        ("// c\n{a:/* d **/{b:1}} // e", .literal("1")), ("\u{FEFF}{a:{b:1}}", .literal("1")),
        ("{a:{b:true}}", .literal("true")), ("{a:{b:false}}", .literal("false")), ("{a:{b:null}}", SettingInput.none),
        ("{a:{b:[]}}", .list([])), ("{a:{b:['c',\"d\",]}}", .list(["c", "d"])), ("{a:{b:'/* no */'}}", .text("/* no */")),
        (#"{a:{b:"\u00e9\x41\n\t\b\f\"\/"}}"#, .text("éA\n\t\u{8}\u{C}\"/")), (#"{a:{b:"\ud83d\ude00"}}"#, .text("😀")),
        ("{a:{b:'é'}}", .text("é")), ("{a:{b:''}}", .text("")),
    ])
    func `values are read`(text: String, input: SettingInput) throws {
        #expect(try SettingsFile.parse(Array(text.utf8)).entries == [SettingsFile.Entry(key: "a.b", input: input)])
    }

    @Test(arguments: [
        ("5", "5"), ("+5", "5"), ("-5", "-5"), ("0x1F", "31"), ("-0x10", "-16"), (".5", "0.5"), ("5.", "5"),
        ("1e3", "1000"),
        ("1.0", "1"), ("0.1", "0.1"), ("1.25", "1.25"), ("9223372036854775807", "9223372036854775807"),
        ("12345678901234567890", "12345678901234567890"), ("Infinity", "NaN"), ("-Infinity", "NaN"), ("NaN", "NaN"),
    ])
    func `numbers become decimal digits`(number: String, digits: String) throws {
        let file = try SettingsFile.parse(Array("{a:\(number)}".utf8))
        #expect(file.entries == [SettingsFile.Entry(key: "a", input: .literal(digits))])
    }

    /// Some of them stop a process that decodes them as Double.
    @Test(arguments: [
        "1e+", "1e-", "4E-", "7.03E+", "1e99999999999999999999", "1e-99999999999999999999",
        String(repeating: "9", count: 5_000),
        "0." + String(repeating: "0", count: 5_000) + "1", "0x" + String(repeating: "f", count: 300), "1e128", "9e127",
        "-1e-129",
    ])
    func `no number stops the process`(number: String) {
        _ = try? SettingsFile.parse(Array("{a:\(number)}".utf8))
    }

    @Test func `a file may set nothing`() throws {
        #expect(try SettingsFile.parse(Array("{}".utf8)).entries.isEmpty)
    }

    /// Whether there is such a group is for others to say.
    @Test(arguments: ["{a:{}}": "a", "{a:{b:{}}}": "a.b"])
    func `an empty group is kept by its name`(text: String, key: String) throws {
        #expect(try SettingsFile.parse(Array(text.utf8)).entries.map(\.key) == [key])
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "[]", "1", "null", "'a'", "{a}", "{a:}", "{a:1 b:2}", "{a:1,,}", "{,}", "{a:1}{", "{a:1}x",
        "{a-b:1}", "{1a:1}", "{a.b:1}", "'a", "{a:\"a\nb\"}", "{a:01}", "{a:1e}", "{a:.}", "{a:0x}", "{a:+}", "{a:--1}",
        "{a:1_000}", "{a:1e999}", "{a:yes}", "{a:True}", "/ {}", "/* {}", "// {}", #"{a:"\u12"}"#, #"{a:"\ud800"}"#,
        #"{a:"\ud800\u0041"}"#, #"{a:"\1"}"#, "{a:'b\"}", "{a:[1]}", "{a:['b',null]}", "{a:['b' 'c']}", "{a:[,]}",
        "{a:[{}]}",
        "{a:1,a:2}", "{a:1,'a':1}", "{a:{b:1},a:{c:1}}", "{a:{b:1,c:2,b:3}}", "{'a.b':1,a:{b:1}}", "{a:[{b:1,b:2}]}",
        "{é:1,e\u{301}:2}", "{a:'\0'}",
    ])
    func `what is no file of settings is refused`(text: String) {
        #expect(throws: SettingsFileError.self) { try SettingsFile.parse(Array(text.utf8)) }
    }

    private static let unreadable =
        "this is not JSON5; a comma, colon, bracket or quote may be missing here or just before "
        + "(texts, and names with a hyphen, need quotes)"
    private static let short = "the file ends too early; a closing bracket, quote or */ is missing"

    @Test(arguments: [
        ("{\n a: 1\n b: 2\n}\n", 3, unreadable), ("{\n a: 'b,\n c: 1,\n}\n", 2, unreadable),
        ("{\r\n a: {\r\n public-url: 1,\r\n},\r\n}", 3, unreadable), ("{\n\n a: no }", 3, unreadable),
        ("// c\n\n{ a: {\n  /* d\n e\n */\n b: '\\u12',\n } }", 7, unreadable), ("{\n a:\n  1\n 2 }", 4, unreadable),
        ("{ a: 1 } }", 1, unreadable), ("{ a: 1,\n}\n}\n", 3, unreadable), ("{\n a: [\n  'b'\n  'c'\n ] }", 4, unreadable),
        ("{\n a: 1,\n b: 1,\n a: 2,\n c: 3 }", 4, #""a" is given twice, first in line 2; merge the two into one"#),
        ("{\n a: {\n b: 1,\n b: 2,\n } }", 4, #""a.b" is given twice, first in line 3; merge the two into one"#),
        (
            "{\n /* a: {\n */ c: { a: {} },\n 'a':\n {\n b: 1 },\n a: {\n b: 1,\n } }", 7,
            #""a" is given twice, first in line 4; merge the two into one"#
        ),
        ("{\n a: 1, a: 2 }", 2, #""a" is given twice"#),
        ("", nil, short), ("\n// {}", nil, short), ("{\n a: 1,\n", nil, short), ("{ a: { b: ['c', // d", nil, short),
        ("{ a: /* \n", nil, short), ("{ a: {\n b: 1,\n", nil, short),
        ("{ 'a.b': 1,\n a: { b: 1 } }", nil, #""a.b" is given twice, in its group and by its whole name"#),
        ("{ a: { b: [1] } }", nil, #"the list of "a.b" may hold only texts in quotes"#),
        ("[]", nil, "the file must hold an object: { server: { ... }, ... }"),
    ])
    func `a fault names its line where it has one`(text: String, line: Int?, reason: String) {
        #expect(throws: SettingsFileError(line: line, reason: reason)) { try SettingsFile.parse(Array(text.utf8)) }
    }

    @Test(arguments: ["[", "{a:", "[[],", "{a:[", "'\\", "/*", "-", "0x", "\n", "\"", "{a:{b:1},"])
    func `what is open without end is refused`(text: String) {
        let many = Array(repeatElement(Array(text.utf8), count: 10_000).joined())
        #expect(throws: SettingsFileError.self) { try SettingsFile.parse(many) }
    }

    @Test func `a large file is not searched for its line`() {
        let text = String(repeating: "// c\n", count: 20_000) + "{ a: b }"
        let reason = Self.unreadable.replacing(" here or just before", with: "")
        #expect(throws: SettingsFileError(line: nil, reason: reason)) { try SettingsFile.parse(Array(text.utf8)) }
    }

    @Test func `nesting has an end`() {
        func nested(_ levels: Int) -> [UInt8] {
            Array((String(repeating: "{a:", count: levels) + "1" + String(repeating: "}", count: levels)).utf8)
        }
        #expect(throws: Never.self) { try SettingsFile.parse(nested(32)) }
        for levels in [33, 500, 10_000] {
            #expect(throws: SettingsFileError.self) { try SettingsFile.parse(nested(levels)) }
        }
    }

    @Test(arguments: [
        [0x7B, 0xFF, 0x7D], [0x7B, 0x61, 0x3A, 0x27, 0xC3, 0x27, 0x7D], [0x7B, 0, 0x7D, 0], [0, 0x7B, 0, 0x7D],
        [0x7B, 0, 0, 0, 0x7D, 0, 0, 0], [0xFF, 0xFE, 0x7B, 0, 0x7D, 0], [0x7B, 0x7D, 0], [0x7B, 0xED, 0xA0, 0x80, 0x7D],
    ])
    func `other encodings are refused and not guessed`(bytes: [UInt8]) {
        #expect(throws: SettingsFileError(line: nil, reason: "the file is not UTF-8 text")) {
            try SettingsFile.parse(bytes)
        }
    }

    @Test func `a damaged file is refused and nothing worse`() throws {
        let whole = try contents(ofFile: shippedFile, limit: 1 << 20)
        let pieces = [
            "{", "}", "[", "]", "'", "\"", "\\", "//", "/*", ":", ",", "1e9", "0x", "-", ".", "\\u", "\u{FEFF}", "\0",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &generator)))
            for _ in 0..<4 where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &generator)
                if Bool.random(using: &generator) {
                    bytes[place] = UInt8.random(in: 0...255, using: &generator)
                } else {
                    bytes.insert(contentsOf: pieces.randomElement(using: &generator)?.utf8 ?? "".utf8, at: place)
                }
            }
            do { _ = try SettingsFile.parse(bytes) } catch {
                let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
                #expect(error.line.map { (1...lines).contains($0) } ?? true, "\(error)")
            }
        }
    }

    @Test func `a wrong line of the shipped file is found`() throws {
        let whole = try contents(ofFile: shippedFile, limit: 1 << 20)
        let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for index in stride(from: 0, to: lines.count - 1, by: 5) {
            let damaged = lines[..<index] + ["nothing at all"] + lines[(index + 1)...]
            do {
                _ = try SettingsFile.parse(Array(damaged.joined(separator: "\n").utf8))
                Issue.record("line \(index + 1) is read")
            } catch {
                #expect(error.line == index + 1)
            }
        }
    }
}
