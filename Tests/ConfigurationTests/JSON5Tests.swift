// The reader of JSON5, held against the language's rules and against Foundation's own reader.
import Foundation
import Testing

@testable import Configuration

struct JSON5Tests {
    @Test(arguments: [
        "{}", "[]", "null", "{a:1}", "{a:1,}", "{'a':'b'}", "[1,2,]", "// c\n{}", "/* c **/ {} // d", "\u{FEFF}{}",
        "{$_a1: true}",
        "{a: .5, b: 5., c: +1, d: -1.5e-3, e: 0x1F, f: Infinity, g: -Infinity}", #"{a: "\u00e9\x41\n\t\b\f\v\0\'\"\/\q"}"#,
        "{a: 'line \\\n goes on'}", "\u{A0}\u{2028}{}", #"["\ud83d\ude00"]"#, "{é: 1}", "{a:'/* no */'}", "{\"a.b\":{}}",
    ])
    func `what the language allows is read`(text: String) throws {
        #expect(throws: Never.self) { try JSON5Value.parse(Array(text.utf8)) }
    }

    @Test(arguments: [
        "", "{", "}", "[", "{a}", "{a:}", "{a:1 b:2}", "{a:1,,}", "[,]", "{,}", "{a:1}{", "{a:1}x", "{a-b:1}", "{1a:1}",
        "'a", "\"a\nb\"",
        "{a:01}", "{a:1e}", "{a:.}", "{a:0x}", "{a:+}", "{a:yes}", "/ {}", "/* {}", #"["\u12"]"#, #"["\ud800"]"#,
        #"["\ud800\u0041"]"#,
        #"["\1"]"#, "{a:1,a:2}", "{a:'b\"}", "[1 2]", "{a:--1}", "{a:1_000}",
    ])
    func `what the language does not allow is refused`(text: String) {
        #expect(throws: JSON5Error.self) { try JSON5Value.parse(Array(text.utf8)) }
    }

    @Test(arguments: [
        #"{"a":[true,false,null],"b":{"c":"é\n"},"d":"x/y"}"#, "{a:'b', c:[ 'd' , ], /* e */ f: null}",
        #"{a: "\u00e9\n\t\b\f\"\/"}"#, #"["\ud83d\ude00"]"#,
    ])
    func `Foundation reads the same`(text: String) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let theirs = try decoder.decode(Tree.self, from: Data(text.utf8))
        #expect(Tree(try JSON5Value.parse(Array(text.utf8))) == theirs)
    }

    @Test func `a text may use every escape`() throws {
        let text = "'\\x41\\v\\0\\'\\q\\\n z'"
        #expect(try JSON5Value.parse(Array(text.utf8)).content == .string("A\u{B}\0'q z"))
    }

    @Test(arguments: [("0x1F", "31"), ("-0x10", "-16"), ("+5", "5"), ("-5", "-5"), (".5", ".5"), ("1e3", "1e3")])
    func `numbers stay text`(number: String, text: String) throws {
        #expect(try JSON5Value.parse(Array(number.utf8)).content == .number(text))
    }

    @Test(arguments: [
        ("{\n a: 1\n b: 2}", 3, #"a comma or } is missing before "b""#),
        ("{\r\n a: 1,\r\n a: 2}", 3, #""a" is given twice"#),
        ("{/*\n\n*/ public-url: 1}", 3, "a name with a hyphen needs quotes"), ("{a: /* \n", 1, "a comment does not end"),
        ("{\n\na: no}", 3, #""no" is no value; texts need quotes"#),
    ])
    func `a fault names its line`(text: String, line: Int, reason: String) {
        #expect(throws: JSON5Error(line: line, reason: reason)) { try JSON5Value.parse(Array(text.utf8)) }
    }

    @Test func `nesting has an end`() {
        #expect(throws: JSON5Error.self) { try JSON5Value.parse(Array(repeating: UInt8(ascii: "["), count: 1_000_000)) }
        #expect(throws: Never.self) {
            try JSON5Value.parse(
                Array(String(repeating: "[", count: 32).utf8) + Array(String(repeating: "]", count: 32).utf8))
        }
    }

    @Test func `bytes that are no text are refused`() {
        #expect(throws: JSON5Error(line: 1, reason: "the file is not UTF-8 text")) {
            try JSON5Value.parse([0x7B, 0xFF, 0x7D])
        }
    }

    @Test func `a damaged file is refused and nothing worse`() throws {
        let whole = try contents(ofFile: shippedFile, limit: 1 << 20)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &generator)))
            for _ in 0..<4 where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? SettingsFile.parse(bytes)
        }
    }
}

/// A document without its numbers and lines, for comparing.
private indirect enum Tree: Equatable, Decodable {
    case text(String)
    case flag(Bool)
    case null
    case list([Tree])
    case object([String: Tree])

    init(_ value: JSON5Value) {
        switch value.content {
        case .string(let text), .number(let text): self = .text(text)
        case .boolean(let flag): self = .flag(flag)
        case .null: self = .null
        case .array(let elements): self = .list(elements.map(Tree.init))
        case .object(let members):
            self = .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, Tree($0.value)) }))
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let object = try? container.decode([String: Tree].self) {
            self = .object(object)
        } else if let list = try? container.decode([Tree].self) {
            self = .list(list)
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}
