// Whatever comes in, reading it ends, and does not depend on where the pieces end.
import Testing

@testable import Transfer

@Suite struct RandomInputTests {
    private static let pieces: [[UInt8]] =
        [
            "slug,url\n", "\u{feff}", "slug;url;title\r\n", "a,https://example.com/\n", "\"", "\"\"", ",", ";", "\t", "\r",
            "\n", "\r\n",
            "{", "}", "[", "]", ":", "{\"slug\":\"a\",\"url\":\"http://a.b\"}\n", "\"slug\"", "\"url\"", "\"tags\":[",
            "\"created\":",
            "\"collections\":[{\"name\":\"c\"}]", "\"events\":[{", "\\", "\\u", "\\ud83d", "\\ude00", "1", "-1", "0.5e+3",
            "true", "null",
            "2030-01-31T12:00:00Z", " ", "x", "ü", "'=",
        ].map { Array($0.utf8) } + [[0], [0xff], [0xfe], [0xc3]]

    /// What a reader makes of bytes in pieces of `step`: a line for each row, and how it ended.
    private func told(_ reader: some RowReader, _ bytes: [UInt8], step: Int) -> [String] {
        var reader = reader
        var lines: [String] = []
        func take(_ step: RowStep) -> Bool {
            switch step {
            case .more, .end: return false
            case .bad(let reason): lines.append("\(reader.fields.line) bad \(reason)")
            case .row:
                let (fields, text) = (reader.fields, reader.text)
                let places = [fields.slug, fields.longURL, fields.title, fields.owner] + fields.tags
                let texts = places.map { $0.map { String(decoding: text[$0], as: UTF8.self) } ?? "-" }
                lines.append("\(fields.line) \(texts) \(fields.clicks) \(fields.created ?? 0) \(fields.events.count)")
            }
            return true
        }
        do throws(TransferError) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(step))
                rest = rest.dropFirst(step)
                var position = 0
                while take(try reader.next(in: chunk, from: &position, to: chunk.count)) {}
                #expect(position == chunk.count)
            }
            while take(try reader.finish()) {}
        } catch {
            lines.append("ended: \(error.message)")
        }
        return lines
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `any bytes are read to their end, in pieces of any size alike`(_ seed: UInt64) {
        var random = Random(state: seed &* 0x9e37_79b9_7f4a_7c15)
        var rows = 0
        for _ in 0..<400 {
            var bytes: [UInt8] = Bool.random(using: &random) ? Array("slug,url,title,clicks\n".utf8) : []
            for _ in 0..<Int.random(in: 0...12, using: &random) { bytes += Self.pieces.randomElement(using: &random) ?? [] }
            for reader in [CSVReader(), JSONLinesReader()] as [any RowReader] {
                let whole = told(reader, bytes, step: 1 << 20)
                #expect(told(reader, bytes, step: 1) == whole, "\(bytes)")
                #expect(told(reader, bytes, step: 3) == whole, "\(bytes)")
                rows += whole.count
            }
        }
        #expect(rows > 300)
    }
}
