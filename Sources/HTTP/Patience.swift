// The limits of time as numbers, worked out once: deadlines are set several times a request.

/// How long a connection may take for what, in nanoseconds.
struct Patience {
    let head: UInt64
    let body: UInt64
    let idle: UInt64
    /// After the end of an answer that closes, for the client to read it.
    let linger: UInt64 = 2_000_000_000
    /// Between two looks at an upload that has used up `body` and keeps its pace.
    let recheck: UInt64 = 1_000_000_000

    init(_ limits: Limits) {
        head = limits.headTime.nanoseconds
        body = limits.bodyTime.nanoseconds
        idle = limits.idleTime.nanoseconds
    }
}

extension Duration {
    /// Rounded towards zero; at least 0 and at most 2^62, so that adding it to a time cannot overflow.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 0 }
        guard seconds < 1 << 32 else { return 1 << 62 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
