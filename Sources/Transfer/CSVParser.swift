// Rows and cells of a CSV text (RFC 4180, section 2), taken a little more widely: lines may end in CRLF, LF or CR, and the
// separator is given. A pure state machine over bytes; what the cells mean is `CSVReader`'s business.
//
//                      "                      "
//     ┌── start ────────────► quoted ◄──────────────► quoteSeen
//     │     ▲ ▲                                          │ separator: next cell; line end: row done
//     │     │ └── separator, line end ──┐                │ anything else: a fault of the row
//     └─────┼──────────────────► unquoted ◄──────────────┘
//      else │                         │
//           └─────────────────────────┘
//
// 1. A cell's bytes in `text` are those between its neighbours' ends, without quotes.
// 2. `line` counts every CR, LF and CRLF once, inside quotes too.
// 3. A row's memory is bounded: an unquoted row that is too long is skipped to its line's end and has a fault; a quoted cell
//    that is too long ends the parsing, because nobody knows where it should have ended.

/// Why parsing cannot go on. Both name the line of the quote.
enum CSVFault: Error, Equatable {
    /// The text ended inside quotes.
    case unclosedQuote(line: Int)
    /// A quoted cell is longer than any could be.
    case endlessQuote(line: Int)
}

/// A parser that is fed chunk by chunk.
struct CSVParser {
    enum Step {
        case more
        case row
    }

    /// What can be wrong with one row.
    enum RowFault {
        case textAfterQuote
        case tooLong
    }

    /// Bytes of a row at most; a link's take a hundredth.
    static let rowLimit = 1 << 20
    /// Cells of a row at most; no header names as many.
    static let cellLimit = 1 << 16

    private enum State {
        case start
        case unquoted
        case quoted
        case quoteSeen
    }

    /// The cells of the last row, one behind the other.
    private(set) var text: [UInt8] = []
    /// Where each cell of the last row ends in `text`.
    private(set) var ends: [Int] = []
    /// The line that the last row began in, from 1.
    private(set) var rowLine = 1
    private(set) var rowFault: RowFault?
    /// Where a cell of the last row stands in `text`.
    func cell(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// Whether the last row was an empty line, or one of empty cells, as spreadsheets write them below their data.
    var isEmptyLine: Bool { text.isEmpty && !hasQuotes && rowFault == nil }

    private let separator: UInt8
    private var state = State.start
    private var line = 1
    private var quoteLine = 0
    private var hasQuotes = false
    private var isRowDone = true
    /// The last byte was a CR, so a LF belongs to it.
    private var isAfterCR = false

    init(separator: UInt8) { self.separator = separator }

    /// Goes on at `position`, which it moves, up to `end`; ends behind a row or with the chunk.
    mutating func next(in chunk: [UInt8], from position: inout Int, to end: Int) throws(CSVFault) -> Step {
        while position < end {
            if isAfterCR {
                isAfterCR = false
                if chunk[position] == UInt8(ascii: "\n") {
                    position += 1
                    // Inside quotes it is a part of the cell.
                    if state == .quoted { text.append(UInt8(ascii: "\n")) }
                    continue
                }
            }
            if isRowDone { beginRow() }
            switch state {
            case .start:
                if chunk[position] == UInt8(ascii: "\"") {
                    state = .quoted
                    hasQuotes = true
                    quoteLine = line
                    position += 1
                } else {
                    state = .unquoted
                }
            case .unquoted: takeUnquoted(chunk, &position, end)
            case .quoted: try takeQuoted(chunk, &position, end)
            case .quoteSeen: takeAfterQuote(chunk[position], &position)
            }
            if isRowDone { return .row }
        }
        return .more
    }

    /// After the last chunk: whether there is a row without a line end.
    mutating func finish() throws(CSVFault) -> Bool {
        if isRowDone { return false }
        if state == .quoted { throw .unclosedQuote(line: quoteLine) }
        endCell()
        isRowDone = true
        return true
    }

    private mutating func beginRow() {
        isRowDone = false
        rowLine = line
        rowFault = nil
        hasQuotes = false
        state = .start
        text.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    private mutating func endCell() {
        state = .start
        // A skipped row's quoted cells are still looked through for their ends.
        guard rowFault != .tooLong else { return text.removeAll(keepingCapacity: true) }
        // Cells cost memory even where nothing is in them.
        if ends.count < Self.cellLimit { ends.append(text.count) } else { dropRow() }
    }

    private mutating func dropRow() {
        rowFault = .tooLong
        text.removeAll()
        ends.removeAll()
    }

    private mutating func endRow(at byte: UInt8) {
        endCell()
        isRowDone = true
        line += 1
        isAfterCR = byte == UInt8(ascii: "\r")
    }

    private mutating func takeUnquoted(_ chunk: [UInt8], _ position: inout Int, _ end: Int) {
        let start = position
        let bytes = chunk.span
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
            index += 1
        }
        if text.count + index - start > Self.rowLimit {
            dropRow()
        } else if rowFault != .tooLong {
            text.append(contentsOf: chunk[start..<index])
        }
        position = index
        guard index < end else { return }
        position += 1
        if bytes[index] == separator { endCell() } else { endRow(at: bytes[index]) }
    }

    private mutating func takeQuoted(_ chunk: [UInt8], _ position: inout Int, _ end: Int) throws(CSVFault) {
        let start = position
        let bytes = chunk.span
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte == UInt8(ascii: "\r") {
                line += 1
                // What follows may be the LF of this CR, in the next chunk too.
                isAfterCR = true
                index += 1
                break
            }
            index += 1
        }
        text.append(contentsOf: chunk[start..<index])
        if text.count - (ends.last ?? 0) > Self.rowLimit { throw .endlessQuote(line: quoteLine) }
        // The cells before it were long too: the row goes, and this cell is looked through for its end.
        if text.count > Self.rowLimit { dropRow() }
        position = index
        guard !isAfterCR, index < end else { return }
        position += 1
        state = .quoteSeen
    }

    private mutating func takeAfterQuote(_ byte: UInt8, _ position: inout Int) {
        switch byte {
        case UInt8(ascii: "\""):
            text.append(byte)
            state = .quoted
        case separator: endCell()
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): endRow(at: byte)
        default:
            if rowFault == nil { rowFault = .textAfterQuote }
            state = .unquoted
            return
        }
        position += 1
    }
}
