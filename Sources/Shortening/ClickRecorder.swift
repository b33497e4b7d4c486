// Carries visits from memory to the store: once a second, and at a clean stop all that is left. What the store does not take
// is kept and tried again, so a full disk or a foreign lock costs no visits as long as memory allows.
internal import Dispatch
package import Telemetry

/// The clock of the click counts. `start` and `stop` are called once each.
package final class ClickRecorder: @unchecked Sendable {
    // Sendable by hand: a Dispatch timer may be used from any thread (dispatch_source(3)), its type just does not say so.
    private let cache: HotCache
    private let store: any LinkStore
    private let log: Log
    private let queue = DispatchQueue(label: "shorty.clicks")
    private let timer: any DispatchSourceTimer
    private let unsaved = Lock<[ClickCount]>([])
    /// The saves that the store has not answered yet.
    private let running = DispatchGroup()

    /// Links whose visits are kept at most while the store takes none; 16 bytes each.
    private static let unsavedLimit = 1_000_000

    package init(cache: HotCache, store: any LinkStore, log: Log) {
        self.cache = cache
        self.store = store
        self.log = log
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.save() }
        // Active from the beginning, since an inactive source must not be let go of; without a schedule it does nothing.
        timer.activate()
    }

    /// Begins to save, every second.
    package func start() {
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(50))
    }

    /// Saves what is left; blocks until the store has taken it or refused it, which loses it. After the last redirect was answered.
    package func stop() {
        timer.cancel()
        // A save that is under way may fail yet and hand its visits back, so its end comes first.
        queue.sync {}
        running.wait()
        queue.sync { save() }
        running.wait()
        let lost = unsaved.withLock { $0.reduce(0) { $0 + Int($1.visits) } }
        if lost > 0 { log.error("visits are lost: the store took none until the end", ["count": .number(lost)]) }
    }

    private func save() {
        let kept = unsaved.withLock { kept in
            defer { kept = [] }
            return kept
        }
        let visits = cache.drainClicks()
        let counts = kept.isEmpty ? visits : (kept + visits).addedUp()
        guard !counts.isEmpty else { return }
        running.enter()
        store.record(counts) { [running] outcome in
            if case .failure(let error) = outcome { self.keep(counts, error) }
            running.leave()
        }
    }

    private func keep(_ counts: [ClickCount], _ error: StoreError) {
        let dropped = unsaved.withLock { kept in
            kept = (kept + counts).addedUp()
            let dropped = kept.dropFirst(Self.unsavedLimit).reduce(0) { $0 + Int($1.visits) }
            kept.removeLast(max(0, kept.count - Self.unsavedLimit))
            return dropped
        }
        log.warning(
            "visits could not be saved and are kept in memory", ["reason": .text("\(error)"), "dropped": .number(dropped)])
    }
}
