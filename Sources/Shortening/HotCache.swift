// Answers to the slugs that are asked for, ready to be sent, in a fixed amount of memory. Sharded by hash, so that two loops
// seldom want the same lock; a lock is held for a look-up and two copies, never across a system call. It must not ask the
// store anything.
internal import Telemetry

/// What the cache knows of a slug.
package enum CacheAnswer: Sendable {
    /// It leads somewhere.
    case found
    /// There is no such link, as of the last write to it.
    case absent
    /// Not known, or not known to be fresh: ask the store.
    case unknown
}

/// A bounded cache of links and of names that are none. Any thread.
package final class HotCache: Sendable {
    private static let shardCount = 16
    private let shards: [Lock<CacheShard>]
    /// The same, for a quicker look.
    private let uncounted: InlineArray<16, Uncounted<Lock<CacheShard>>>
    private let generations: Generations
    /// Where the shards' indexes lie; they do not hold it themselves.
    private let memory: CacheIndexMemory

    /// Uses at most `bytes` of memory (at least 1 MiB), touched only as it fills.
    package init(bytes: Int, generations: Generations) {
        self.generations = generations
        let share = bytes / Self.shardCount
        memory = CacheIndexMemory(shards: Self.shardCount, slotCount: CacheShard.slotCount(bytes: share))
        let memory = memory
        let shards = (0..<Self.shardCount).map { Lock(CacheShard(bytes: share, memory: memory, number: $0)) }
        self.shards = shards
        // They live as long as this, which holds them.
        uncounted = InlineArray { unsafe Uncounted(shards[$0]) }
    }

    /// Has the processor fetch what a look-up of this slug will read first, and does not wait for it: half a look-up's time is that
    /// one wait.
    package func expect(_ slug: Span<UInt8>) {
        let hash = generations.hash(of: slug)
        generations.prefetch(hash)
        memory.prefetch(Self.shard(hash), hash)
    }

    /// Looks a slug up; for a link, `found` gets the bytes of its long URL, valid during the call. The visit is counted if
    /// `counting`. No allocation.
    package func lookUp(_ slug: Span<UInt8>, counting: Bool, _ found: (Span<UInt8>) -> Void) -> CacheAnswer {
        let hash = generations.hash(of: slug)
        let generation = generations.generation(ofHash: hash)
        return uncounted[Self.shard(hash)].with { shard in
            shard.withLock { shard in
                shard.lookUp(slug, hash: hash, generation: generation, counting: counting, found)
            }
        }
    }

    /// The generation to remember with an answer, taken before the store is asked for it.
    package func generation(of slug: Span<UInt8>) -> UInt32 { generations.generation(ofHash: generations.hash(of: slug)) }

    /// Remembers what the store said about a slug.
    package func insert(_ slug: Slug, _ target: Target?, generation: UInt32) {
        let span = slug.text.utf8Span.span
        let hash = generations.hash(of: span)
        let url = target?.longURL.text ?? ""
        shards[Self.shard(hash)].withLock { shard in
            shard.insert(
                span, hash: hash, generation: generation, link: target?.id.rawValue ?? 0, url: url.utf8Span.span)
        }
    }

    /// Counts a visit that was answered from the store.
    package func count(_ slug: Slug, _ link: LinkID) {
        shards[Self.shard(generations.hash(of: slug.text.utf8Span.span))].withLock { shard in
            _ = shard.tally.count(link, at: .none)
        }
    }

    /// Takes the visits counted since the last call, one entry a link, ascending.
    package func drainClicks() -> [ClickCount] {
        var visits: [ClickCount] = []
        for shard in shards { visits += shard.withLock { $0.tally.drain() } }
        return visits.addedUp()
    }

    // The lowest 12 bits choose a generation and the next ones a slot, so the uppermost choose the shard.
    private static func shard(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 60) }
}
