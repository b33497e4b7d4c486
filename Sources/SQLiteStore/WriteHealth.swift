// When the store was last seen to take a write, and what is wrong where it does not.
internal import CLinux
internal import Shortening
internal import Synchronization

/// Whether a write went well lately. Any thread; no call blocks.
final class WriteHealth: Sendable {
    /// A success older than this says little; a probe then costs one small transaction.
    private static let fresh: UInt64 = 10_000_000_000

    // Nanoseconds of the monotonic clock; 0 after a failure and before the first success.
    private let lastSuccess = Atomic<UInt64>(0)
    // The same, of the last write that found the disk full; 0 after a success.
    private let lastFull = Atomic<UInt64>(0)

    private let trouble: Trouble

    init(_ trouble: Trouble) { self.trouble = trouble }

    func succeeded() {
        trouble.passed()
        lastSuccess.store(linux_monotonic_nanoseconds(), ordering: .relaxed)
        lastFull.store(0, ordering: .relaxed)
    }

    func failed(_ error: StoreError) {
        lastSuccess.store(0, ordering: .relaxed)
        trouble.met(error)
        if error == .full { lastFull.store(linux_monotonic_nanoseconds(), ordering: .relaxed) }
    }

    /// Whether the disk was full a moment ago. A probe cannot tell then: its one page finds room where an add's do not.
    var isFull: Bool {
        let last = lastFull.load(ordering: .relaxed)
        return last != 0 && linux_monotonic_nanoseconds() - last < Self.fresh
    }

    /// Whether only a write of its own can tell.
    var needsProbe: Bool {
        let last = lastSuccess.load(ordering: .relaxed)
        return last == 0 || linux_monotonic_nanoseconds() - last > Self.fresh
    }
}
