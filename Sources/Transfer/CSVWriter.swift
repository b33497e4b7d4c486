// Links as CSV (RFC 4180): CRLF at every line's end, quotes where a cell needs them, and no cell that a spreadsheet would run.
// What CSV has no column for (owners, expiry, events, descriptions, places in collections) and removed links are left to JSON lines.
internal import Shortening

/// Writes rows into a buffer of its caller's.
struct CSVWriter {
    static let header = Array("slug,url,title,tags,created,clicks,listed,collection\r\n".utf8)

    static func append(_ link: LinkRecord, to output: inout [UInt8]) {
        append(cell: link.slug.text, to: &output)
        output.append(UInt8(ascii: ","))
        append(cell: link.longURL.text, to: &output)
        output.append(UInt8(ascii: ","))
        append(cell: link.title ?? "", to: &output)
        output.append(UInt8(ascii: ","))
        append(cell: link.tags.map(\.text).joined(separator: ","), to: &output)
        output.append(UInt8(ascii: ","))
        append(cell: Timestamp.text(link.created), to: &output)
        output.append(contentsOf: ",\(link.clicks),\(link.isListed),".utf8)
        append(cell: link.memberships.map(\.collection.text).joined(separator: ","), to: &output)
        output.append(contentsOf: "\r\n".utf8)
    }

    private static func append(cell text: String, to output: inout [UInt8]) {
        let bytes = text.utf8Span.span
        let needsApostrophe = FormulaGuard.needsApostrophe(bytes)
        guard needsQuotes(bytes) else {
            if needsApostrophe { output.append(UInt8(ascii: "'")) }
            return output.append(contentsOf: text.utf8)
        }
        output.append(UInt8(ascii: "\""))
        if needsApostrophe { output.append(UInt8(ascii: "'")) }
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "\"") { output.append(UInt8(ascii: "\"")) }
            output.append(bytes[index])
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Also for what separates cells elsewhere: a spreadsheet that splits at semicolons must not find a formula behind one.
    private static func needsQuotes(_ cell: Span<UInt8>) -> Bool {
        for index in cell.indices {
            switch cell[index] {
            case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "\r"),
                UInt8(ascii: "\n"):
                return true
            default: continue
            }
        }
        // Some programs drop blanks at a cell's ends.
        return cell.count > 0 && (cell[0] == 0x20 || cell[cell.count - 1] == 0x20)
    }
}
