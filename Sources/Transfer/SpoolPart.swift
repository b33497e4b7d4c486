// As many links as are sorted at once: in the order in which a store keeps them, and of the input where slugs are equal.
internal import Shortening

/// Links in memory with what their order takes.
struct SpoolPart: Sendable {
    /// How much one part holds.
    struct Limit: Sendable {
        var bytes = 16 << 20
        var links = 1 << 18
    }

    /// Where a link begins, with the number that nearly always settles the order.
    struct Key: Sendable {
        let prefix: UInt64
        let start: UInt32
    }

    private(set) var links = PackedLinks()
    /// In the input's order until `sort`.
    private(set) var keys: [Key] = []

    var isEmpty: Bool { keys.isEmpty }

    func isFull(_ limit: Limit) -> Bool { links.bytes.count >= limit.bytes || keys.count >= limit.links }

    /// Makes room for a full part.
    mutating func reserve(_ limit: Limit) {
        // The last link may reach beyond the limit.
        links.reserve(bytes: limit.bytes + limit.bytes / 16, links: limit.links)
        keys.reserveCapacity(limit.links)
    }

    /// Takes the one link that `pack` appends, or nothing where it throws.
    mutating func append<Failure: Error>(_ pack: (inout PackedLinks) throws(Failure) -> Void) throws(Failure) {
        let start = links.bytes.count
        try pack(&links)
        let prefix = PackedLink(at: links.bytes.span.extracting(start...)).slug.sortPrefix
        keys.append(Key(prefix: prefix, start: UInt32(start)))
    }

    /// Keeps the memory.
    mutating func removeAll() {
        links.removeAll()
        keys.removeAll(keepingCapacity: true)
    }

    mutating func sort() {
        let bytes = links.bytes
        keys.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let (first, second) = (
                PackedLink(at: bytes.span.extracting(Int(left.start)...)),
                PackedLink(at: bytes.span.extracting(Int(right.start)...))
            )
            let order = first.slug.order(beside: second.slug)
            return order == 0 ? left.start < right.start : order < 0
        }
    }
}

extension Span<UInt8> {
    /// What sorts collections before all links, slugs that have a number by that, and the longer ones behind them by their first bytes.
    var sortPrefix: UInt64 {
        if self[0] == 0 { return 0 }
        if let slugNumber { return UInt64(slugNumber) }
        var prefix: UInt64 = 0
        for index in 0..<7 { prefix = prefix << 8 | UInt64(self[index]) }
        return prefix | 1 << 63
    }

    /// Less than 0 where this one sorts before the other, 0 where they are equal, more where behind.
    func order(beside other: Span<UInt8>) -> Int {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index] ? -1 : 1
        }
        return count - other.count
    }
}
