// Freshness without locks. A cached answer remembers its slug's generation from before it was read; a write moves the
// generation after its commit and before it is acknowledged. So an answer whose generation still stands is not older than
// the last acknowledged write, and whoever was told «stored» is never shown what was there before.
package import Synchronization

/// Counters shared by all slugs whose hashes fall on them. Any thread; no call blocks.
package final class Generations: Sendable {
    // A power of two, so that a mask picks one. 4,096 counters (16 KiB): a write makes one cached slug in 4,096 look stale.
    private static let count = 4096
    private let counters = Counters()

    /// Moved when the set of live keys may have changed.
    package let keys = Atomic<UInt32>(0)

    package init() {}

    /// The generation of every slug with this hash (`Slug.hash(of:)`).
    package func generation(ofHash hash: UInt64) -> UInt32 {
        counters.load(Int(truncatingIfNeeded: hash) & (Self.count - 1))
    }

    /// The generation of a slug.
    package func generation(of slug: Slug) -> UInt32 { generation(ofHash: slug.stableHash) }

    /// To be called after a commit that changed `slug` and before that is acknowledged.
    package func advance(_ slug: Slug) { counters.advance(Int(truncatingIfNeeded: slug.stableHash) & (Self.count - 1)) }

    /// To be called when another process may have changed anything.
    package func advanceAll() {
        for index in 0..<Self.count { counters.advance(index) }
        keys.wrappingAdd(1, ordering: .releasing)
    }

    /// The atomics themselves; a class of its own because a fixed array of them cannot be moved.
    private final class Counters: Sendable {
        private let cells = InlineArray<4096, Atomic<UInt32>> { _ in Atomic<UInt32>(0) }

        func load(_ index: Int) -> UInt32 { cells[index].load(ordering: .acquiring) }

        func advance(_ index: Int) { cells[index].wrappingAdd(1, ordering: .releasing) }
    }
}
