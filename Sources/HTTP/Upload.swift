// A request whose content is still coming: its head, kept, and what has come so far.

final class Upload {
    private let head: RequestHead
    private let lines: [UInt8]
    private let keepsContent: Bool
    private let startedAt: UInt64
    private let rate: Int
    private var decoder: ChunkedDecoder?
    private var left: Int
    private var received = 0
    private var content: [UInt8] = []

    init(head: RequestHead, lines: Span<UInt8>, policy: BodyPolicy, limits: Limits, startedAt: UInt64) {
        self.head = head
        self.startedAt = startedAt
        // The buffer is read during the call only.
        self.lines = unsafe lines.withUnsafeBufferPointer { unsafe Array($0) }
        rate = limits.bodyRate
        if case .gather(let limit) = policy {
            keepsContent = true
            var bounded = limits
            bounded.body = min(limit, limits.body)
            decoder = head.framing == .chunked ? ChunkedDecoder(limits: bounded) : nil
        } else {
            keepsContent = false
            decoder = head.framing == .chunked ? ChunkedDecoder(limits: limits) : nil
        }
        left = if case .length(let length) = head.framing { length } else { 0 }
    }

    /// Takes content from `bytes` at `at`; true once it is complete.
    func take(_ bytes: Span<UInt8>, _ at: inout Int) throws(RequestFault) -> Bool {
        let start = at
        defer { received += at - start }
        if decoder != nil {
            // Decoded into a variable, since a closure must not touch two properties of self at once.
            var gathered = content
            content = []
            let keeps = keepsContent
            try decoder?.decode(bytes, &at) { piece in
                if keeps { unsafe piece.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) } }
            }
            content = gathered
            return decoder?.isDone == true
        }
        let count = min(left, bytes.count - at)
        if keepsContent {
            unsafe bytes.extracting(at..<at + count).withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        }
        at += count
        left -= count
        return left == 0
    }

    /// Calls `body` with the whole request, once `take` said that it is complete.
    func withRequest(from peer: Peer, _ body: (borrowing Request) -> Void) {
        let (lines, content) = (lines, content)
        body(Request(head: head, bytes: lines.span, body: content.span, peer: peer))
    }

    /// Whether the content has come at the wanted rate on average.
    func keepsPace(at now: UInt64) -> Bool {
        let seconds = Double(now - startedAt) / 1e9
        return Double(received) >= seconds * Double(rate)
    }
}
