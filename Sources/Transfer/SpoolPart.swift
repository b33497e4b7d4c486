// As many links as are sorted at once. The order is that of the slugs' bytes, and of the input where slugs are equal.
internal import Shortening

/// Links in memory with what their order takes.
struct SpoolPart: Sendable {
    /// How much one part holds.
    struct Limit: Sendable {
        var bytes = 16 << 20
        var links = 1 << 18
    }

    /// Where a link begins, with the first eight bytes of its slug, which nearly always settle the order.
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
    /// The first eight bytes as a number that sorts as they do; zeros stand for what is missing.
    var sortPrefix: UInt64 {
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | (index < count ? UInt64(self[index]) : 0) }
        return prefix
    }

    /// Less than 0 where this one sorts before the other, 0 where they are equal, more where behind.
    func order(beside other: Span<UInt8>) -> Int {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index] ? -1 : 1
        }
        return count - other.count
    }
}
