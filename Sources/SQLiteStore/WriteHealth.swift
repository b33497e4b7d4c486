// When the store was last seen to take a write.
internal import CLinux
internal import Synchronization

/// Whether a write went well lately. Any thread; no call blocks.
final class WriteHealth: Sendable {
    /// A success older than this says little; a probe then costs one small transaction.
    private static let fresh: UInt64 = 10_000_000_000

    // Nanoseconds of the monotonic clock; 0 after a failure and before the first success.
    private let lastSuccess = Atomic<UInt64>(0)

    func succeeded() { lastSuccess.store(linux_monotonic_nanoseconds(), ordering: .relaxed) }

    func failed() { lastSuccess.store(0, ordering: .relaxed) }

    /// Whether only a write of its own can tell.
    var needsProbe: Bool {
        let last = lastSuccess.load(ordering: .relaxed)
        return last == 0 || linux_monotonic_nanoseconds() - last > Self.fresh
    }
}
