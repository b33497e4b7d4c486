// Freshness without locks. A cached answer remembers its slug's generation from before it was read; a write moves the
// generation after its commit and before it is acknowledged. So an answer whose generation still stands is not older than
// the last acknowledged write, and whoever was told «stored» is never shown what was there before.
internal import CLinux
package import Synchronization

/// Counters shared by all slugs whose hashes fall on them. Any thread; no call blocks.
package final class Generations: Sendable {
    // A power of two, so that a mask picks one. 4,096 counters (16 KiB): a write makes one cached slug in 4,096 look stale.
    private static let mask = UInt64(4095)
    private let counters = Counters()
    /// Secret of this process, so that nobody can choose slugs whose hashes meet.
    private let seed = UInt64.random(in: .min ... .max)

    /// Moved when the set of live keys may have changed.
    package let keys = Atomic<UInt32>(0)

    package init() {}

    /// The hash of a slug's bytes in this process, for its generation and for the cache alike.
    package func hash(of slug: Span<UInt8>) -> UInt64 { Slug.hash(of: slug, seed: seed) }

    /// The generation of every slug with this hash.
    package func generation(ofHash hash: UInt64) -> UInt32 { counters.load(Int(hash & Self.mask)) }

    /// Has the processor fetch the generation of this hash, and does not wait for it.
    func prefetch(_ hash: UInt64) { counters.prefetch(Int(hash & Self.mask)) }

    /// The generation of a slug.
    package func generation(of slug: Slug) -> UInt32 { generation(ofHash: hash(of: slug.text.utf8Span.span)) }

    /// To be called after a commit that changed `slug` and before that is acknowledged.
    package func advance(_ slug: Slug) { counters.advance(Int(hash(of: slug.text.utf8Span.span) & Self.mask)) }

    /// To be called when another process may have changed anything.
    package func advanceAll() {
        for index in 0...Int(Self.mask) { counters.advance(index) }
        keys.wrappingAdd(1, ordering: .releasing)
    }

    /// The atomics themselves; a class of its own because a fixed array of them cannot be moved.
    private final class Counters: Sendable {
        private let cells = InlineArray<4096, Atomic<UInt32>> { _ in Atomic<UInt32>(0) }

        func load(_ index: Int) -> UInt32 { cells[index].load(ordering: .acquiring) }

        func prefetch(_ index: Int) {
            // A look at where the cell is, not at what it holds.
            unsafe withUnsafePointer(to: cells) { start in
                unsafe linux_prefetch(UnsafeRawPointer(start) + index * MemoryLayout<Atomic<UInt32>>.stride)
            }
        }

        func advance(_ index: Int) { cells[index].wrappingAdd(1, ordering: .releasing) }
    }
}
