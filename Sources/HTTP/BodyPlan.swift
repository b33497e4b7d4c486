// What becomes of a request's content, worked out before any of it is read: kept or not, unpacked or not, and how much of it.

struct BodyPlan {
    /// Whether the handler gets it; otherwise it is read and dropped, however it is packed.
    let isKept: Bool
    /// Always `.identity` for what is dropped.
    let coding: ContentCoding
    /// The most bytes that the handler may get; those of content that is dropped are counted too.
    let limit: Int
    /// The most bytes before unpacking.
    let packedLimit: Int

    /// `limit` is the server's own. Throws 415 for a coding that is not understood, 413 where the length says already that it
    /// is too much.
    init(_ request: borrowing Request, policy: BodyPolicy, limit: Int) throws(RequestFault) {
        isKept = policy == .gather
        coding = isKept ? try ContentCoding(request) : .identity
        self.limit = limit
        packedLimit = coding == .gzip ? GzipDecoder.packedLimit(limit) : limit
        if case .length(let length) = request.head.framing, length > packedLimit {
            throw RequestFault(.contentTooLarge, "The content is too large.")
        }
    }

    /// Whether the handler can be shown the bytes where they lie.
    var isKeptAsItComes: Bool { isKept && coding == .identity }
}
