// How much content of unfinished requests is held at once, in all loops. Each alone is bounded by `Limits.body`, but there may be ten
// thousand connections, and none of them has shown a key yet.
internal import Synchronization

/// Counts bytes. Any thread.
final class HeldContent: Sendable {
    /// What one upload may hold with its head without being counted: that of a usual request, which a flood of large ones is not to hinder.
    static let free = 8 * 1024

    private let limit: Int
    private let held = Atomic<Int>(0)

    /// Room for a few of the largest at least.
    init(_ limits: Limits) { limit = max(limits.contentTogether, limits.body.multipliedSaturating(by: 4)) }

    /// Counts so many bytes more; false, and nothing is counted, where there is no room for them.
    func take(_ count: Int) -> Bool {
        if held.add(count, ordering: .relaxed).newValue <= limit { return true }
        give(count)
        return false
    }

    func give(_ count: Int) { held.subtract(count, ordering: .relaxed) }
}

extension Int {
    fileprivate func multipliedSaturating(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
