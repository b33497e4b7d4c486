// Lets a test hold up the health checks of a store, and count them.
internal import Dispatch
internal import Synchronization

/// A gate that health checks pass one by one. Any thread.
package final class HealthGate: Sendable {
    private let passage = DispatchSemaphore(value: 1)
    private let checks = Atomic<Int>(0)

    /// How many have come to the gate so far.
    package var count: Int { checks.load(ordering: .acquiring) }

    /// Makes those that come wait until `open`.
    package func shut() { passage.wait() }

    package func open() { passage.signal() }

    func pass() {
        checks.add(1, ordering: .acquiringAndReleasing)
        passage.wait()
        passage.signal()
    }
}
