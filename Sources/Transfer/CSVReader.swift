// Links out of CSV: the header, and then what each row's cells mean. It decides nothing about what may be stored.
//
//   tags        names with commas between them
//   created     a time, or seconds since 1970; empty is now
//   clicks      a whole number; empty is 0
//   listed      true or false, yes or no, 1 or 0, in any letter case; empty is no
//   collection  names with commas between them
//
// Columns that nobody knows are left out. Empty lines between rows are bad, behind the last one they are nothing.
internal import Shortening

/// Reads a CSV input.
struct CSVReader: RowReader {
    private(set) var fields = LinkFields()
    private(set) var unknownNames: [String] = []
    var text: [UInt8] { parser.text }

    /// Bytes of a header at most.
    private static let headerLimit = 1 << 16

    private var parser = CSVParser(separator: UInt8(ascii: ","))
    /// The header as far as it has come; nil once it was read.
    private var head: [UInt8]? = []
    private var isInsideHeaderQuotes = false
    private var columns: [CSVColumn?] = []
    /// Empty lines that no row has followed yet.
    private var empty: (first: Int, count: Int)?
    /// The parser's row comes next, after the empty lines before it were told.
    private var isHeld = false

    mutating func next(in chunk: [UInt8], from position: inout Int, to end: Int) throws(TransferError) -> RowStep {
        if isHeld { return row() }
        if head != nil, try !takeHeader(chunk, &position, end) { return .more }
        while true {
            do throws(CSVFault) {
                if try parser.next(in: chunk, from: &position, to: end) == .more { return .more }
            } catch {
                throw Self.error(for: error)
            }
            if !isEmptyLine() { return row() }
        }
    }

    mutating func finish() throws(TransferError) -> RowStep {
        if isHeld { return row() }
        if head != nil { try readHeader() }
        do throws(CSVFault) {
            return try parser.finish() && !isEmptyLine() ? row() : .end
        } catch {
            throw Self.error(for: error)
        }
    }

    private static func error(for fault: CSVFault) -> TransferError {
        switch fault {
        case .unclosedQuote(let line):
            .input(
                "Line \(line): the quote that opens here is never closed, so what follows cannot be read. Nothing was stored."
            )
        case .endlessQuote(let line):
            .input(
                "Line \(line): the quote that opens here is not closed within 1 MiB, so what follows cannot be read. Nothing was stored."
            )
        }
    }

    // MARK: Header

    /// Takes bytes up to the end of the first line; true when that was read.
    private mutating func takeHeader(_ chunk: [UInt8], _ position: inout Int, _ end: Int) throws(TransferError) -> Bool {
        let start = position
        var isWhole = false
        while position < end, !isWhole {
            let byte = chunk[position]
            if byte == UInt8(ascii: "\"") { isInsideHeaderQuotes.toggle() }
            isWhole = !isInsideHeaderQuotes && (byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r"))
            position += 1
        }
        head?.append(contentsOf: chunk[start..<position])
        if let head, head.count > Self.headerLimit {
            // Better a word about what the file is than about its length.
            _ = try TextEncoding.markLength(head.span, of: .csv)
            throw .input("The first line is longer than 64 KiB and so no header of a CSV file.")
        }
        if isWhole { try readHeader() }
        return isWhole
    }

    private mutating func readHeader() throws(TransferError) {
        let line = head ?? []
        let header = try CSVHeader(Array(line.dropFirst(TextEncoding.markLength(line.span, of: .csv))))
        head = nil
        columns = header.columns
        unknownNames = header.unknownNames
        parser = header.parser
    }

    // MARK: Rows

    /// Whether the parser's row is an empty line, which is remembered then.
    private mutating func isEmptyLine() -> Bool {
        guard parser.isEmptyLine else { return false }
        empty = (empty?.first ?? parser.rowLine, (empty?.count ?? 0) + 1)
        return true
    }

    private mutating func row() -> RowStep {
        fields.clear()
        if let (first, count) = empty {
            fields.line = first
            empty = nil
            isHeld = true
            return .bad(count == 1 ? "The line is empty." : "This line and the next \(count - 1) are empty.")
        }
        isHeld = false
        fields.line = parser.rowLine
        switch parser.rowFault {
        case .textAfterQuote?: return .bad("There is text behind a closing quote; quotes inside quotes are doubled.")
        case .tooLong?: return .bad("The row is longer than 1 MiB.")
        case nil: break
        }
        let count = parser.ends.count
        if count < columns.count {
            return .bad("The row has \(count) \(count == 1 ? "cell" : "cells") where the header has \(columns.count).")
        }
        for index in 0..<count {
            guard index < columns.count else {
                // Some programs end every row with separators.
                if parser.cell(index).isEmpty { continue }
                return .bad("The row has \(count) cells where the header has \(columns.count).")
            }
            guard let column = columns[index] else { continue }
            if let problem = take(parser.cell(index), as: column) { return .bad(problem) }
        }
        return .row
    }

    /// Puts a cell where it belongs; what is wrong with it, if it is the reader to say so.
    private mutating func take(_ cell: Range<Int>, as column: CSVColumn) -> String? {
        var cell = cell
        if FormulaGuard.hasApostrophe(parser.text.span.extracting(cell)) { cell = (cell.lowerBound + 1)..<cell.upperBound }
        switch column {
        case .slug: fields.slug = cell
        case .url: fields.longURL = cell
        case .title: if !cell.isEmpty { fields.title = cell }
        case .tags: fields.tags = names(in: cell)
        case .collection: fields.memberships = names(in: cell).map { ($0, nil) }
        case .created:
            if cell.isEmpty { return nil }
            fields.created = Timestamp.seconds(parser.text.span.extracting(cell))
            if fields.created == nil {
                return "The cell created is no time: \(shown(cell)). Write it like 2030-01-31T12:00:00Z."
            }
        case .clicks:
            if cell.isEmpty { return nil }
            guard let clicks = Self.wholeNumber(parser.text.span.extracting(cell)) else {
                return "The cell clicks is no whole number: \(shown(cell))."
            }
            fields.clicks = clicks
        case .listed:
            guard let isListed = Self.truth(of: parser.text[cell]) else {
                return "The cell listed is neither true nor false: \(shown(cell))."
            }
            fields.isListed = isListed
        }
        return nil
    }

    private func shown(_ cell: Range<Int>) -> String { "\"\(LongURLError.excerpt(of: parser.text[cell]))\"" }

    private func names(in cell: Range<Int>) -> [Range<Int>] {
        if cell.isEmpty { return [] }
        return parser.text[cell].split(separator: UInt8(ascii: ",")).map(\.trimmed).filter { !$0.isEmpty }.map(\.indices)
    }

    /// Up to 18 digits.
    private static func wholeNumber(_ cell: Span<UInt8>) -> Int64? {
        guard (1...18).contains(cell.count) else { return nil }
        var number: Int64 = 0
        for index in cell.indices {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(cell[index]) else { return nil }
            number = number * 10 + Int64(cell[index] - UInt8(ascii: "0"))
        }
        return number
    }

    private static func truth(of cell: ArraySlice<UInt8>) -> Bool? {
        switch String(decoding: cell, as: UTF8.self).lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0", "": false
        default: nil
        }
    }
}
