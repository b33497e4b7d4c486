// Whether the store is well, asked on a queue of its own and once for all who wait: a probe may wait for a foreign lock as long as
// a write does, and nobody who asks for it by the hundred may keep others from the shared queues.
internal import Dispatch
internal import Shortening
internal import Telemetry

/// Answers health checks. Any thread; nothing here blocks the caller.
final class HealthDesk: Sendable {
    typealias Answer = @Sendable (StoreError?) -> Void

    private let store: any LinkStore
    private let queue = DispatchQueue(label: "shorty.health")
    private let waiting = Lock<[Answer]>([])

    init(_ store: any LinkStore) { self.store = store }

    /// Calls `answer` with nil where the store can be read and written, else with the reason; on the desk's queue. Whoever comes
    /// while a probe is waited for gets the next one's outcome, with everybody else who did.
    func ask(_ answer: @escaping Answer) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(answer)
            return waiting.count == 1
        }
        if isFirst { queue.async { self.probe() } }
    }

    private func probe() {
        let asked = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        let problem: StoreError?
        do throws(StoreError) {
            try store.checkHealth()
            problem = nil
        } catch {
            problem = error
        }
        for answer in asked { answer(problem) }
    }
}
