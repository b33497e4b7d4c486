// A request whose content is still coming: its head, kept, and what has come so far, without its framing and its coding.

final class Upload {
    private let head: RequestHead
    private let lines: [UInt8]
    private let keepsContent: Bool
    private let startedAt: UInt64
    private let rate: Int
    private var decoder: ChunkedDecoder?
    /// Where the content is packed, and not to be dropped.
    private var unpacker: GzipDecoder?
    private var left: Int
    private var received = 0
    private var content: [UInt8] = []

    /// Throws 503 where there is no memory to unpack the content.
    init(
        head: RequestHead, lines: Span<UInt8>, plan: BodyPlan, limits: Limits, startedAt: UInt64
    ) throws(RequestFault) {
        self.head = head
        self.startedAt = startedAt
        // The buffer is read during the call only.
        self.lines = unsafe lines.withUnsafeBufferPointer { unsafe Array($0) }
        rate = limits.bodyRate
        keepsContent = plan.isKept
        var bounded = limits
        bounded.body = plan.packedLimit
        decoder = head.framing == .chunked ? ChunkedDecoder(limits: bounded) : nil
        left = if case .length(let length) = head.framing { length } else { 0 }
        guard plan.coding == .gzip else { return }
        unpacker = GzipDecoder(limit: plan.limit)
        guard unpacker != nil else {
            throw RequestFault(.serviceUnavailable, "There is no memory to unpack the content.")
        }
    }

    /// Takes content from `bytes` at `at`; true once it is complete. Throws what its framing and its coding have to say.
    func take(_ bytes: Span<UInt8>, _ at: inout Int) throws(RequestFault) -> Bool {
        let start = at
        defer { received += at - start }
        let isComplete = decoder == nil ? try takeLength(bytes, &at) : try takeChunks(bytes, &at)
        guard !isComplete || unpacker?.isWhole != false else {
            throw RequestFault(.badRequest, "The content ends before its gzip does.")
        }
        return isComplete
    }

    private func takeLength(_ bytes: Span<UInt8>, _ at: inout Int) throws(RequestFault) -> Bool {
        let count = min(left, bytes.count - at)
        let piece = bytes.extracting(at..<at + count)
        at += count
        left -= count
        if unpacker != nil {
            try unpacker?.decode(piece, into: &content)
        } else if keepsContent {
            unsafe piece.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        }
        return left == 0
    }

    private func takeChunks(_ bytes: Span<UInt8>, _ at: inout Int) throws(RequestFault) -> Bool {
        // Decoded into a variable, since a closure must not touch two properties of self at once. What is packed is gathered
        // for this call only.
        var gathered: [UInt8] = []
        if unpacker == nil { swap(&gathered, &content) }
        let keeps = keepsContent
        try decoder?.decode(bytes, &at) { piece in
            if keeps { unsafe piece.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) } }
        }
        if unpacker == nil { content = gathered } else { try unpacker?.decode(gathered.span, into: &content) }
        return decoder?.isDone == true
    }

    /// Calls `body` with the whole request, once `take` said that it is complete.
    func withRequest(from peer: Peer, _ body: (borrowing Request) -> Void) {
        let (lines, content) = (lines, content)
        body(unsafe Request(head: head, bytes: lines.span, body: content.span, peer: peer))
    }

    /// Whether the content has come at the wanted rate on average.
    func keepsPace(at now: UInt64) -> Bool {
        let seconds = Double(now - startedAt) / 1e9
        return Double(received) >= seconds * Double(rate)
    }
}
