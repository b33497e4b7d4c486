// The first line of a CSV file: what separates its cells, and what stands where.
internal import Shortening

/// A column that is known.
enum CSVColumn: String, CaseIterable {
    case slug
    case url
    case title
    case tags
    case created
    case clicks
    case listed
    case collection

    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

/// A header that was understood.
struct CSVHeader {
    /// Stands behind the header, ready for the rows.
    let parser: CSVParser
    /// By place; nil for a column that nobody knows.
    let columns: [CSVColumn?]
    let unknownNames: [String]

    /// Reads the first line, with its line end or without. Names count without letter case and without spaces around them.
    /// Throws what is missing and what the line should look like.
    init(_ line: [UInt8]) throws(TransferError) {
        var parser = CSVParser(separator: Self.separator(of: line))
        let cells = try Self.cells(of: line, &parser)
        self.parser = parser
        columns = cells.map { CSVColumn(rawValue: String(decoding: $0, as: UTF8.self).lowercased()) }
        unknownNames = zip(columns, cells).compactMap { column, cell in
            column == nil && !cell.isEmpty ? LongURLError.excerpt(of: cell) : nil
        }
        let renamings = ForeignName.renamings(of: unknownNames, beside: columns.compactMap(\.?.rawValue))
        for column in [CSVColumn.slug, .url] where !columns.contains(column) {
            let advice = renamings.map { " Rename \($0)." } ?? ""
            throw .input(
                "The first line has to be a header with the columns slug and url, like `slug,url,title`; it has no column "
                    + "\(column.rawValue): \"\(LongURLError.excerpt(of: line[...].trimmed))\".\(advice) "
                    + "Known are \(CSVColumn.names)."
            )
        }
        for column in CSVColumn.allCases where columns.count(where: { $0 == column }) > 1 {
            throw .input("The header names the column \(column.rawValue) more than once.")
        }
        if let renamings {
            throw .input(
                "The header has columns of another shortener's names. Rename \(renamings); a column that is to be left out gets any "
                    + "name but these. Nothing was stored."
            )
        }
    }

    /// The first comma, semicolon or tab outside quotes. No known name holds one.
    private static func separator(of line: [UInt8]) -> UInt8 {
        var isQuoted = false
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\t") {
                return byte
            }
        }
        return UInt8(ascii: ",")
    }

    private static func cells(of line: [UInt8], _ parser: inout CSVParser) throws(TransferError) -> [ArraySlice<UInt8>] {
        var position = 0
        do throws(CSVFault) {
            if try parser.next(in: line, from: &position, to: line.count) == .more { _ = try parser.finish() }
        } catch {
            throw .input("The header in line 1 has a quote that is never closed.")
        }
        return parser.ends.indices.map { parser.text[parser.cell($0)].trimmed }
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces, tabs and line breaks at its ends.
    var trimmed: ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return self[startIndex..<startIndex] }
        return self[(firstIndex { !isBlank($0) } ?? startIndex)...last]
    }
}
