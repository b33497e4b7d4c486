// A request whose content is still coming: its head, kept, and what has come so far, without its framing. It is unpacked when it is whole:
// else a client could have a thousand times what it has sent held, for as long as it may take its time.

final class Upload {
    private let head: RequestHead
    private let lines: [UInt8]
    private let startedAt: UInt64
    private let rate: Int
    private var decoder: ChunkedDecoder?
    private let plan: BodyPlan
    private let heldContent: HeldContent
    /// Bytes that are counted there.
    private var counted = 0
    private var left: Int
    private var received = 0
    private var content: [UInt8] = []

    /// `startedAt` is in nanoseconds of the loops' clock. What is held is counted in `heldContent`.
    init(head: RequestHead, lines: Span<UInt8>, plan: BodyPlan, limits: Limits, heldContent: HeldContent, startedAt: UInt64)
    {
        self.head = head
        self.plan = plan
        self.startedAt = startedAt
        self.heldContent = heldContent
        // The buffer is read during the call only.
        self.lines = unsafe lines.withUnsafeBufferPointer { unsafe Array($0) }
        rate = limits.bodyRate
        var bounded = limits
        bounded.body = plan.packedLimit
        decoder = head.framing == .chunked ? ChunkedDecoder(limits: bounded) : nil
        left = if case .length(let length) = head.framing { length } else { 0 }
    }

    deinit { heldContent.give(counted) }

    /// Takes content from `bytes` at `at`; true once it is complete. Throws what its framing and its coding have to say.
    func take(_ bytes: Span<UInt8>, _ at: inout Int) throws(RequestFault) -> Bool {
        let start = at
        defer { received += at - start }
        let isComplete = decoder == nil ? takeLength(bytes, &at) : try takeChunks(bytes, &at)
        try countHeld()
        if isComplete, plan.coding == .gzip { try unpack() }
        return isComplete
    }

    private func countHeld() throws(RequestFault) {
        let more = lines.count + content.count - HeldContent.free - counted
        guard more > 0 else { return }
        guard heldContent.take(more) else {
            throw RequestFault(
                .serviceUnavailable, "The server is being sent too much content at once. Send it again in a moment.")
        }
        counted += more
    }

    private func unpack() throws(RequestFault) {
        guard var decoder = GzipDecoder(limit: plan.limit) else {
            throw RequestFault(.serviceUnavailable, "There is no memory to unpack the content.")
        }
        var packed: [UInt8] = []
        swap(&packed, &content)
        try decoder.decode(packed.span, into: &content)
        guard decoder.isWhole else { throw RequestFault(.badRequest, "The content ends before its gzip does.") }
    }

    private func takeLength(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
        let count = min(left, bytes.count - at)
        let piece = bytes.extracting(at..<at + count)
        at += count
        left -= count
        if plan.isKept { unsafe piece.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) } }
        return left == 0
    }

    private func takeChunks(_ bytes: Span<UInt8>, _ at: inout Int) throws(RequestFault) -> Bool {
        // Decoded into a variable, since a closure must not touch two properties of self at once.
        var gathered: [UInt8] = []
        swap(&gathered, &content)
        let keeps = plan.isKept
        try decoder?.decode(bytes, &at) { piece in
            if keeps { unsafe piece.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) } }
        }
        content = gathered
        return decoder?.isDone == true
    }

    /// Of the request, as it came.
    var path: [UInt8] { Array(lines[head.path.indices]) }

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
