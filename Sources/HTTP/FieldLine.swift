// One header field line, and the walk over all of them. Names and values are places in the request's bytes; nothing is copied.

/// A field line (RFC 9112 §5).
package struct FieldLine {
    package let name: ByteRange
    /// Without the white space round it.
    package let value: ByteRange
    /// The offset behind the line's CRLF.
    package let end: Int

    /// Reads the line at `start`; nil if its end is not there yet.
    init?(_ bytes: Span<UInt8>, from start: Int) throws(RequestFault) {
        var at = ByteRun.endOfPlainName(bytes, from: start)
        while at < bytes.count, ByteClass.isToken(bytes[at]) { at += 1 }
        guard at < bytes.count else { return nil }
        // RFC 9112 §5.1: no white space before the colon; §5.2: a line that begins with white space is an obs-fold.
        guard at > start, bytes[at] == .colon else { throw RequestParser.malformedField }
        name = ByteRange(start, at)
        at += 1
        while at < bytes.count, bytes[at].isBlank { at += 1 }
        let first = at
        at = ByteRun.endOfValue(bytes, from: at)
        guard at + 1 < bytes.count else {
            guard at >= bytes.count || bytes[at] == .carriageReturn else { throw RequestParser.malformedField }
            return nil
        }
        guard bytes[at] == .carriageReturn, bytes[at + 1] == .lineFeed else { throw RequestParser.malformedField }
        end = at + 2
        while at > first, bytes[at - 1].isBlank { at -= 1 }
        value = ByteRange(first, at)
    }
}

/// The fields of a head that decide framing and persistence, gathered line by line.
struct FramingFields {
    private var hasHost = false
    private var length: Int?
    private var isChunked = false
    private var hasTransferCoding = false
    private var saysClose = false
    private var saysKeepAlive = false
    private var expectation: Expectation?

    private enum Expectation { case goAhead, unknown }

    mutating func note(_ line: FieldLine, _ bytes: Span<UInt8>) throws(RequestFault) {
        let name = bytes.extracting(line.name.indices)
        // By length first: most fields are none of these.
        switch name.count {
        case 4 where name.half(at: 0) | 0x2020_2020 == 0x7473_6f68 /* "host" */:
            try host(bytes.extracting(line.value.indices))
        case 6 where matchesIgnoringCase(name, "expect"): expect(bytes.extracting(line.value.indices))
        case 10 where matchesIgnoringCase(name, "connection"): connection(bytes.extracting(line.value.indices))
        case 14 where matchesIgnoringCase(name, "content-length"): try contentLength(bytes.extracting(line.value.indices))
        case 17 where matchesIgnoringCase(name, "transfer-encoding"):
            try transferEncoding(bytes.extracting(line.value.indices))
        default: break
        }
    }

    /// RFC 9112 §3.2: exactly one Host in an HTTP/1.1 request.
    private mutating func host(_ value: Span<UInt8>) throws(RequestFault) {
        guard !hasHost else { throw RequestFault(.badRequest, "There is more than one Host field.") }
        guard HostField.isValid(value) else { throw RequestFault(.badRequest, "The Host field is malformed.") }
        hasHost = true
    }

    /// RFC 9110 §8.6. A list of equal values may be accepted by the RFC; refused, since a proxy may see it otherwise.
    private mutating func contentLength(_ value: Span<UInt8>) throws(RequestFault) {
        guard length == nil, !value.isEmpty else { throw Self.badLength }
        var number = 0
        for index in 0..<value.count {
            guard value[index].isDigit else { throw Self.badLength }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            // Too large to count is too large to take.
            guard !overflow, product <= Int.max - 9 else {
                throw RequestFault(.contentTooLarge, "The content is too large.")
            }
            number = product + Int(value[index] - 0x30)
        }
        length = number
    }

    private static let badLength = RequestFault(.badRequest, "The Content-Length field is malformed or repeated.")

    /// RFC 9112 §6.1: the only coding known here is chunked, alone and once.
    private mutating func transferEncoding(_ value: Span<UInt8>) throws(RequestFault) {
        guard !hasTransferCoding else { throw RequestFault(.badRequest, "There is more than one Transfer-Encoding field.") }
        hasTransferCoding = true
        guard !matchesIgnoringCase(value, "chunked") else { return isChunked = true }
        // RFC 9112 §6.3: where chunked is not the last, once, nobody can tell where the content ends.
        var (members, chunked, isLast) = (0, 0, false)
        forEachListMember(value) { member in
            isLast = matchesIgnoringCase(member, "chunked")
            members += 1
            if isLast { chunked += 1 }
        }
        guard isLast, chunked == 1, members > 1 else {
            throw RequestFault(.badRequest, "The Transfer-Encoding field does not say where the content ends.")
        }
        throw RequestFault(.notImplemented, "The only transfer coding understood here is chunked.")
    }

    private mutating func connection(_ value: Span<UInt8>) {
        forEachListMember(value) { member in
            if matchesIgnoringCase(member, "close") { saysClose = true }
            if matchesIgnoringCase(member, "keep-alive") { saysKeepAlive = true }
        }
    }

    private mutating func expect(_ value: Span<UInt8>) {
        let isKnown = matchesIgnoringCase(value, "100-continue") && expectation != .unknown
        expectation = isKnown ? .goAhead : .unknown
    }

    /// Writes the outcome into the head, and refuses what contradicts itself.
    func settle(_ head: inout RequestHead) throws(RequestFault) {
        guard hasHost || head.isHTTP10 else { throw RequestFault(.badRequest, "The Host field is missing.") }
        if isChunked {
            // RFC 9112 §6.1: both together is an attempt at smuggling, and HTTP/1.0 knows no chunks.
            guard length == nil else {
                throw RequestFault(.badRequest, "Content-Length and Transfer-Encoding exclude each other.")
            }
            guard !head.isHTTP10 else { throw RequestFault(.badRequest, "HTTP/1.0 has no transfer codings.") }
            head.framing = .chunked
        } else if let length {
            head.framing = .length(length)
        }
        if saysClose { head.keepsAlive = false } else if saysKeepAlive { head.keepsAlive = true }
        guard !head.isHTTP10, let expectation else { return }
        head.expectsContinue = expectation == .goAhead
        head.hasUnknownExpectation = expectation == .unknown
    }
}

/// Calls `body` for each non-empty member of a comma-separated list (RFC 9110 §5.6.1).
package func forEachListMember(_ value: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    var start = 0
    for at in 0...value.count where at == value.count || value[at] == .comma {
        var from = start
        var to = at
        while from < to, value[from].isBlank { from += 1 }
        while to > from, value[to - 1].isBlank { to -= 1 }
        if from < to { body(value.extracting(from..<to)) }
        start = at + 1
    }
}
