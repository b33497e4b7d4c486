// Links out of JSON lines: one object a line (https://jsonlines.org), lines ending in LF or CRLF. A bad line spoils no other.
// What is in a line is `JSONLine`'s business.
internal import JSON

/// Reads a JSON lines input.
struct JSONLinesReader: RowReader {
    var fields: LinkFields { line.fields }
    var text: [UInt8] { line.text }
    var unknownNames: [String] { line.unknownNames }

    /// Bytes of a line at most; a link's take a hundredth, but it may be in many collections.
    static let lineLimit = 1 << 20

    private var line = JSONLine()
    /// The beginning of a line whose end is in another chunk.
    private var carried: [UInt8] = []
    private var isTooLong = false
    private var number = 0
    private var isFirst = true

    mutating func next(in chunk: [UInt8], from position: inout Int, to end: Int) throws(TransferError) -> RowStep {
        while position < end {
            let start = position
            let isWhole = Self.skipLine(chunk.span, &position, end)
            let rest = start..<(isWhole ? position - 1 : position)
            if !isWhole || !carried.isEmpty || isTooLong {
                isTooLong = isTooLong || carried.count + rest.count > Self.lineLimit
                if isTooLong { carried.removeAll() } else { carried.append(contentsOf: chunk[rest]) }
                guard isWhole else { return .more }
                if let step = try lastLine() { return step }
            } else if let step = try read(chunk.span.extracting(rest)) {
                return step
            }
        }
        return .more
    }

    mutating func finish() throws(TransferError) -> RowStep {
        if carried.isEmpty, !isTooLong { return .end }
        return try lastLine() ?? .end
    }

    /// Moves behind the next LF, or to the end.
    private static func skipLine(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
        while position < end {
            position += 1
            if bytes[position - 1] == UInt8(ascii: "\n") { return true }
        }
        return false
    }

    /// Reads the line that was carried from chunk to chunk.
    private mutating func lastLine() throws(TransferError) -> RowStep? {
        let bytes = carried
        carried.removeAll()
        if isTooLong {
            isTooLong = false
            number += 1
            line.skip(to: number)
            return .bad("The line is longer than 1 MiB.")
        }
        return try read(bytes.span)
    }

    /// nil for a line without anything in it.
    private mutating func read(_ bytes: Span<UInt8>) throws(TransferError) -> RowStep? {
        number += 1
        var start = 0
        if isFirst {
            isFirst = false
            start = try TextEncoding.markLength(bytes, of: .jsonl)
        }
        let bytes = bytes.extracting(start..<bytes.count)
        if Self.isBlank(bytes) { return nil }
        do throws(JSONFault) {
            try line.read(bytes, number: number)
            return .row
        } catch {
            return .bad("The line is no link in JSON: \(error.reason).")
        }
    }

    private static func isBlank(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] != 0x20 && bytes[index] != 0x09 && bytes[index] != 0x0d {
            return false
        }
        return true
    }
}
