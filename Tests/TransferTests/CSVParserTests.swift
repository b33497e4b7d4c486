import Testing

@testable import Transfer

@Suite struct CSVParserTests {
    private struct Row: Equatable {
        var line: Int
        var cells: [String]
        var hasFault = false
    }

    /// Rows of a text that comes in pieces of `step` bytes.
    private func rows(_ text: String, separator: Unicode.Scalar = ",", step: Int = 1 << 20) throws(CSVFault) -> [Row] {
        var parser = CSVParser(separator: UInt8(ascii: separator))
        var rows: [Row] = []
        func take(_ parser: CSVParser) {
            let cells = parser.ends.indices.map { String(decoding: parser.text[parser.cell($0)], as: UTF8.self) }
            rows.append(Row(line: parser.rowLine, cells: cells, hasFault: parser.rowFault != nil))
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(step))
            rest = rest.dropFirst(step)
            var position = 0
            while try parser.next(in: chunk, from: &position, to: chunk.count) == .row { take(parser) }
        }
        if try parser.finish() { take(parser) }
        return rows
    }

    private static let texts: [(String, [[String]])] = [
        ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
        ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
        ("a,b\rc,d\r", [["a", "b"], ["c", "d"]]),
        ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
        ("a,", [["a", ""]]),
        (",\n", [["", ""]]),
        ("", []),
        ("\n\r\n\r", [[""], [""], [""]]),
        ("\"a\",\"b\"\"c\",\"\"\n", [["a", "b\"c", ""]]),
        ("\"a,\r\nb\nc\rd\",e\r\nf", [["a,\r\nb\nc\rd", "e"], ["f"]]),
        ("\"\"\"\"", [["\""]]),
        ("\"\r\n\"\r\n", [["\r\n"]]),
        ("\"\r\"\n", [["\r"]]),
        ("a\"b,c\n", [["a\"b", "c"]]),
        (" \"a\"\n", [[" \"a\""]]),
        ("ä,😀\n", [["ä", "😀"]]),
    ]

    @Test(arguments: texts)
    func `rows and cells are those of RFC 4180, wherever the pieces end`(_ text: String, _ cells: [[String]]) throws {
        for step in 1...max(text.utf8.count, 1) {
            #expect(try rows(text, step: step).map(\.cells) == cells, "pieces of \(step) bytes")
        }
    }

    @Test func `a row's line is the one that it begins in`() throws {
        let text = "a\r\n\"b\r\nb\nb\rb\"\nc\rd\n"
        for step in 1...text.utf8.count { #expect(try rows(text, step: step).map(\.line) == [1, 2, 6, 7]) }
    }

    @Test func `any separator is one`() throws {
        #expect(try rows("a;b,c\n", separator: ";").map(\.cells) == [["a", "b,c"]])
        #expect(try rows("a\tb\n", separator: "\t").map(\.cells) == [["a", "b"]])
    }

    @Test func `a quote that is never closed is named by its line`() {
        #expect(throws: CSVFault.unclosedQuote(line: 3)) { try rows("a\nb\nc,\"d\ne\nf") }
        #expect(throws: CSVFault.endlessQuote(line: 2)) {
            try rows("a\n\"" + String(repeating: "x\n", count: CSVParser.rowLimit))
        }
    }

    @Test func `text behind a closing quote spoils its row and no other`() throws {
        let rows = try rows("\"a\"b,c\nd,e\n")
        #expect(rows.map(\.hasFault) == [true, false])
        #expect(rows[1].cells == ["d", "e"])
    }

    @Test func `a row that is too long is a fault and no memory`() throws {
        let long = String(repeating: "x", count: CSVParser.rowLimit + 10)
        let rows = try rows("a,b\n\(long),c\nd,e\n", step: 4096)
        #expect(rows.map(\.hasFault) == [false, true, false])
        #expect(rows.map(\.line) == [1, 2, 3])
        #expect(rows[1].cells.joined().utf8.count < 10)
    }

    @Test func `what is written in CSV is read as it was`() throws {
        var random = Random(state: 11)
        let pieces = ["\"", ",", ";", "\t", "\r\n", "\n", "\r", "a", "=", "'", "-", "@", "+", " ", "ü", ""]
        for _ in 0..<500 {
            let cells = (0..<3).map { _ in
                (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            }
            let text = cells.map {
                "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
            }
            .joined(separator: ",")
            #expect(try rows(text + "\r\n", step: 3).map(\.cells) == [cells], "\(text.debugDescription)")
        }
    }

    @Test(arguments: [",", "\"\",", "\"aaaaaaaaaaaaaaaaaaaa\","])
    func `a row of more cells than any needs is skipped, and no memory goes with it`(_ cell: String) throws {
        var parser = CSVParser(separator: UInt8(ascii: ","))
        let chunk = Array(String(repeating: cell, count: 1000).utf8)
        for _ in 0..<1000 {
            var position = 0
            while position < chunk.count { _ = try parser.next(in: chunk, from: &position, to: chunk.count) }
            #expect(parser.ends.count <= CSVParser.cellLimit)
            #expect(parser.text.count <= CSVParser.rowLimit)
        }
        let rest = Array("\na,b\n".utf8)
        var position = 0
        #expect(try parser.next(in: rest, from: &position, to: rest.count) == .row)
        #expect(parser.rowFault == .tooLong)
        #expect(try parser.next(in: rest, from: &position, to: rest.count) == .row)
        #expect(parser.ends.count == 2)
    }
}
