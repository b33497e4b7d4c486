// Takes the chunked transfer coding apart (RFC 9112 §7.1): a state machine over bytes that keeps only what it must between
// two reads. It must not buffer the content itself; that is its caller's business.
//
//          ┌────────────────────────────────────────────┐
//          ▼                                            │
//   size ──► extension ──► sizeLF ──► data ──► dataCR ──► dataLF
//                            │ (size 0)
//                            ▼
//                        trailerStart ──► trailerLine ──► trailerLF ──┐
//                            │   ▲────────────────────────────────────┘
//                            ▼
//                          endLF ──► done
//
// Invariants: 1. `size` never exceeds what is left of the content limit. 2. Extensions and trailers are counted over the
// whole body, so that many small ones are bounded like one large one. 3. Every line ends in CRLF and in nothing else.

/// The decoder of one chunked body.
package struct ChunkedDecoder: Sendable {
    private enum State {
        case size, extensionText, sizeLineFeed, data, dataReturn, dataLineFeed
        case trailerStart, trailerLine, trailerLineFeed, endLineFeed, done
    }

    private var state = State.size
    private var size = 0
    private var digits = 0
    private var extensions = ChunkExtension()
    private var contentLeft: Int
    private var extensionsLeft: Int
    private var trailersLeft: Int
    private var trailerLine: [UInt8] = []

    package init(limits: Limits) {
        contentLeft = limits.body
        extensionsLeft = limits.chunkExtensions
        trailersLeft = limits.headerBlock
    }

    package var isDone: Bool { state == .done }

    /// Decodes what it can of `bytes` from `at` on, hands each piece of content to `content`, and moves `at` behind what was
    /// read. Stops at the end of the body. Throws 400 for a malformed body, 413 for one over the limit, 431 for trailers.
    package mutating func decode(
        _ bytes: Span<UInt8>, _ at: inout Int, content: (Span<UInt8>) -> Void
    ) throws(RequestFault) {
        while at < bytes.count, state != .done {
            if state == .data {
                let count = min(size, bytes.count - at)
                content(bytes.extracting(at..<at + count))
                at += count
                size -= count
                if size == 0 { state = .dataReturn }
                continue
            }
            try step(bytes[at])
            at += 1
        }
    }

    private mutating func step(_ byte: UInt8) throws(RequestFault) {
        switch state {
        case .size: try sizeDigit(byte)
        case .extensionText: try extensionByte(byte)
        case .sizeLineFeed:
            try expect(byte, .lineFeed)
            state = size == 0 ? .trailerStart : .data
            digits = 0
        case .dataReturn:
            try expect(byte, .carriageReturn)
            state = .dataLineFeed
        case .dataLineFeed:
            try expect(byte, .lineFeed)
            state = .size
        case .trailerStart:
            if byte == .carriageReturn { state = .endLineFeed } else { try trailerByte(byte) }
        case .trailerLine: try trailerByte(byte)
        case .trailerLineFeed:
            try expect(byte, .lineFeed)
            try endTrailerLine()
        case .endLineFeed:
            try expect(byte, .lineFeed)
            state = .done
        case .data, .done: break
        }
    }

    private func expect(_ byte: UInt8, _ wanted: UInt8) throws(RequestFault) {
        guard byte == wanted else { throw Self.malformed }
    }

    private mutating func sizeDigit(_ byte: UInt8) throws(RequestFault) {
        if let digit = byte.hexDigit {
            size = size << 4 | digit
            digits += 1
            // Leading zeros are legal, but not without end.
            guard digits <= 32 else { throw Self.malformed }
            guard size <= contentLeft else { throw RequestFault(.contentTooLarge, "The content is too large.") }
            return
        }
        guard digits > 0 else { throw Self.malformed }
        contentLeft -= size
        if byte == .carriageReturn {
            state = .sizeLineFeed
        } else if byte == .semicolon {
            extensions = ChunkExtension()
            state = .extensionText
        } else {
            throw Self.malformed
        }
    }

    private mutating func extensionByte(_ byte: UInt8) throws(RequestFault) {
        extensionsLeft -= 1
        guard extensionsLeft >= 0, let isOver = extensions.take(byte) else { throw Self.malformed }
        if isOver { state = .sizeLineFeed }
    }

    private mutating func trailerByte(_ byte: UInt8) throws(RequestFault) {
        guard byte != .lineFeed else { throw Self.malformed }
        trailersLeft -= 1
        guard trailersLeft >= 0 else {
            throw RequestFault(.requestHeaderFieldsTooLarge, "The trailer fields are too large.")
        }
        trailerLine.append(byte)
        state = byte == .carriageReturn ? .trailerLineFeed : .trailerLine
    }

    /// Trailers are checked as header fields are, and dropped: nothing here reads one.
    private mutating func endTrailerLine() throws(RequestFault) {
        trailerLine.append(.lineFeed)
        guard let line = try FieldLine(trailerLine.span, from: 0), line.end == trailerLine.count else {
            throw Self.malformed
        }
        trailerLine.removeAll(keepingCapacity: true)
        state = .trailerStart
    }

    private static let malformed = RequestFault(.badRequest, "The chunked content is malformed.")
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit.
    package var hexDigit: Int? {
        if isDigit { return Int(self - 0x30) }
        let letter = lowercased
        return letter >= 0x61 && letter <= 0x66 ? Int(letter - 0x61 + 10) : nil
    }
}
