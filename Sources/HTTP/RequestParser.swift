// Reads a request head: a pure function over bytes, with no memory of its own. Strict by RFC 9112: whatever a proxy in
// front could read in another way is refused, so nothing can be smuggled past it. It must not know what a request is for.
//
//   request-line   = method SP request-target SP HTTP-version CRLF       RFC 9112 §3
//   field-line     = field-name ":" OWS field-value OWS CRLF            RFC 9112 §5
//   head           = request-line *field-line CRLF
//
// A line ends in CRLF and in nothing else: a bare LF, a bare CR and obs-fold are 400 (RFC 9112 §2.2 and §5.2 let a server
// refuse them).

/// What parsing came to.
package enum ParseOutcome {
    /// The head is not complete; parse again, from its start, when there are more bytes.
    case incomplete
    case head(RequestHead)
    /// Not a request. Whether it began as a HEAD, whose answer has no content, also when it refuses (RFC 9110 §9.3.2).
    case fault(RequestFault, isHead: Bool)
}

/// The parser of request heads.
package struct RequestParser {
    private let limits: Limits

    package init(limits: Limits) { self.limits = limits }

    /// Reads the head at the start of `bytes`. Cost: one look at each byte of the head. Any thread.
    package func parse(_ bytes: Span<UInt8>) -> ParseOutcome {
        var head = RequestHead()
        do throws(RequestFault) {
            var at = 0
            guard try skipEmptyLines(bytes, &at) else { return .incomplete }
            guard let lineEnd = try requestLine(bytes, from: at, &head) else { return .incomplete }
            guard let end = try fieldLines(bytes, from: lineEnd, &head) else { return .incomplete }
            head.length = end
            return .head(head)
        } catch {
            return .fault(error, isHead: head.method == .head)
        }
    }

    /// What the path of a GET looks to be before its head is parsed; empty where that is not plain to see. Any thread.
    @_lifetime(copy bytes)
    static func glimpse(_ bytes: Span<UInt8>) -> Span<UInt8> {
        guard bytes.count >= 8, bytes.half(at: 0) == 0x2054_4547 /* "GET " */ else { return bytes.extracting(0..<0) }
        return bytes.extracting(4..<ByteRun.endOfPlainTarget(bytes, from: 4))
    }

    /// RFC 9112 §2.2: a CRLF before the request line is to be ignored. Two are; more is no client's habit.
    private func skipEmptyLines(_ bytes: Span<UInt8>, _ at: inout Int) throws(RequestFault) -> Bool {
        while at < bytes.count, bytes[at] == .carriageReturn {
            guard at + 1 < bytes.count else { return false }
            guard bytes[at + 1] == .lineFeed, at < 4 else {
                throw RequestFault(.badRequest, "The request does not begin with a request line.")
            }
            at += 2
        }
        return at < bytes.count
    }

    /// Fills in method, target and version; the offset behind the line's CRLF, or nil if it is not there yet.
    private func requestLine(
        _ bytes: Span<UInt8>, from start: Int, _ head: inout RequestHead
    ) throws(RequestFault) -> Int? {
        guard let target = try method(bytes, from: start, &head) else { return nil }
        var at = ByteRun.endOfPlainTarget(bytes, from: target)
        var question = -1
        while at < bytes.count, bytes[at] == .questionMark || bytes[at] == .percent {
            if bytes[at] == .percent { head.hasPercent = true } else if question < 0 { question = at }
            at = ByteRun.endOfPlainTarget(bytes, from: at + 1)
        }
        if at - start > limits.requestLine { throw Self.lineTooLong }
        guard at < bytes.count else { return nil }
        guard at > target, bytes[at] == .space else {
            throw RequestFault(
                .badRequest, "The request target holds a character that is not allowed, or no version follows it.")
        }
        try place(target, at, question, bytes, &head)

        let version = at + 1
        guard bytes.count >= version + 10 else {
            try checkVersionSoFar(bytes.extracting(version..<bytes.count))
            return nil
        }
        try readVersion(bytes.extracting(version..<version + 10), &head)
        return version + 10
    }

    /// Fills in the method; the offset behind the space that follows it, or nil if that is not there yet.
    private func method(
        _ bytes: Span<UInt8>, from start: Int, _ head: inout RequestHead
    ) throws(RequestFault) -> Int? {
        // Nearly every request is a GET.
        if bytes.count - start >= 4, bytes.half(at: start) == 0x2054_4547 /* "GET " */ {
            head.method = .get
            return start + 4
        }
        var at = start
        while at < bytes.count, ByteClass.isToken(bytes[at]) { at += 1 }
        guard at < bytes.count else { return try longerLine(bytes, start) }
        guard at > start, bytes[at] == .space else { throw RequestFault(.badRequest, "The request line is malformed.") }
        head.method = Method(bytes.extracting(start..<at))
        return at + 1
    }

    private static let lineTooLong = RequestFault(.uriTooLong, "The request line is too long.")

    private func longerLine(_ bytes: Span<UInt8>, _ start: Int) throws(RequestFault) -> Int? {
        // A method as long as a line is still only an endless method.
        if bytes.count - start > limits.requestLine { throw Self.lineTooLong }
        return nil
    }

    /// Sorts out the four forms of a target (RFC 9112 §3.2).
    private func place(
        _ start: Int, _ end: Int, _ question: Int, _ bytes: Span<UInt8>, _ head: inout RequestHead
    ) throws(RequestFault) {
        head.target = ByteRange(start, end)
        let pathEnd = question < 0 ? end : question
        if question >= 0 { head.query = ByteRange(question + 1, end) }
        if bytes[start] == .slash {
            head.path = ByteRange(start, pathEnd)
            return
        }
        if head.method == .connect { return }
        if head.method == .options, end == start + 1, bytes[start] == .asterisk { return }
        // absolute-form: only the path matters, since any host is served.
        for scheme: StaticString in ["http://", "https://"] {
            let authority = start + scheme.utf8CodeUnitCount
            guard pathEnd > authority, matchesIgnoringCase(bytes.extracting(start..<authority), scheme) else { continue }
            var at = authority
            while at < pathEnd, bytes[at] != .slash { at += 1 }
            guard at > authority, HostField.isValid(bytes.extracting(authority..<at)) else { break }
            head.path = ByteRange(at, pathEnd)
            return
        }
        throw RequestFault(.badRequest, "The request target must begin with \"/\".")
    }

    /// `bytes` are ten: `HTTP/1.1` and CRLF. A higher minor version is served as 1.1 (RFC 9110 §2.5).
    private func readVersion(_ bytes: Span<UInt8>, _ head: inout RequestHead) throws(RequestFault) {
        if bytes.word(at: 0) == 0x312e_312f_5054_5448 /* "HTTP/1.1" */, bytes[8] == .carriageReturn, bytes[9] == .lineFeed {
            return
        }
        guard matches(bytes.extracting(0..<5), "HTTP/"), bytes[6] == .dot, bytes[5].isDigit, bytes[7].isDigit,
            bytes[8] == .carriageReturn, bytes[9] == .lineFeed
        else { throw RequestFault(.badRequest, "The request line does not end in HTTP/1.1 and CRLF.") }
        guard bytes[5] == 0x31 else {
            throw RequestFault(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
        head.isHTTP10 = bytes[7] == 0x30
        head.keepsAlive = !head.isHTTP10
    }

    /// Refuses at once what can become no version: a client that speaks another protocol should not have to wait.
    private func checkVersionSoFar(_ bytes: Span<UInt8>) throws(RequestFault) {
        for index in 0..<bytes.count where bytes[index] == .lineFeed {
            throw RequestFault(.badRequest, "The request line does not end in HTTP/1.1 and CRLF.")
        }
    }

    /// Reads all field lines and the empty line; the offset behind it, or nil if it is not there yet.
    private func fieldLines(
        _ bytes: Span<UInt8>, from start: Int, _ head: inout RequestHead
    ) throws(RequestFault) -> Int? {
        var at = start
        var count = 0
        var framing = FramingFields()
        while true {
            guard at < bytes.count else { return try checkBlock(bytes.count - start) }
            if bytes[at] == .carriageReturn {
                guard at + 1 < bytes.count else { return nil }
                guard bytes[at + 1] == .lineFeed else { throw Self.malformedField }
                head.fields = ByteRange(start, at)
                try framing.settle(&head)
                return at + 2
            }
            guard let line = try FieldLine(bytes, from: at) else { return try checkBlock(bytes.count - start) }
            count += 1
            if count > limits.headerFields { throw Self.fieldsTooLarge }
            _ = try checkBlock(line.end - start)
            try framing.note(line, bytes)
            at = line.end
        }
    }

    private func checkBlock(_ size: Int) throws(RequestFault) -> Int? {
        if size > limits.headerBlock { throw Self.fieldsTooLarge }
        return nil
    }

    static let malformedField = RequestFault(.badRequest, "A header field line is malformed.")
    private static let fieldsTooLarge = RequestFault(
        .requestHeaderFieldsTooLarge, "The header fields are too many or too large.")
}

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let asterisk: UInt8 = 0x2a
    static let comma: UInt8 = 0x2c
    static let percent: UInt8 = 0x25
    static let dot: UInt8 = 0x2e
    static let slash: UInt8 = 0x2f
    static let colon: UInt8 = 0x3a
    static let semicolon: UInt8 = 0x3b
    static let questionMark: UInt8 = 0x3f

    var isDigit: Bool { self &- 0x30 < 10 }
    var isBlank: Bool { self == .space || self == .tab }
}
