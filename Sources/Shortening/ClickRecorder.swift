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
    private let unsaved = Lock(Unsaved())
    /// The saves that the store has not answered yet.
    private let running = DispatchGroup()

    /// Links whose visits are kept at most while the store takes none; 16 bytes each.
    private static let unsavedLimit = 1_000_000

    private struct Unsaved: Sendable {
        var counts: [ClickCount] = []
        /// Whether the last save failed, which was told then.
        var isFailing = false
        /// Visits that found no room since then.
        var dropped = 0
    }

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
        let lost = unsaved.withLock { $0.dropped + $0.counts.visits }
        if lost > 0 { log.error("visits are lost: the store took none until the end", ["count": .number(lost)]) }
    }

    private func save() {
        let kept = unsaved.withLock { unsaved in
            defer { unsaved.counts = [] }
            return unsaved.counts
        }
        let visits = cache.drainClicks()
        let counts = kept.isEmpty ? visits : (kept + visits).addedUp()
        guard !counts.isEmpty else { return }
        running.enter()
        store.record(counts) { [running] outcome in
            switch outcome {
            case .success: self.saved()
            case .failure(let error): self.keep(counts, error)
            }
            running.leave()
        }
    }

    private func saved() {
        let dropped: Int? = unsaved.withLock { unsaved in
            guard unsaved.isFailing else { return nil }
            defer { (unsaved.isFailing, unsaved.dropped) = (false, 0) }
            return unsaved.dropped
        }
        if let dropped { log.info("visits are saved again", ["dropped": .number(dropped)]) }
    }

    /// Told once an outage: a line a second would push everything else out of a log.
    private func keep(_ counts: [ClickCount], _ error: StoreError) {
        let isNew = unsaved.withLock { unsaved in
            unsaved.counts = (unsaved.counts + counts).addedUp()
            unsaved.dropped += unsaved.counts.dropFirst(Self.unsavedLimit).visits
            unsaved.counts.removeLast(max(0, unsaved.counts.count - Self.unsavedLimit))
            defer { unsaved.isFailing = true }
            return !unsaved.isFailing
        }
        if isNew {
            log.warning("visits cannot be saved and are kept in memory", ["reason": .text(error.message)])
        }
    }
}

extension Sequence<ClickCount> {
    fileprivate var visits: Int { reduce(0) { $0 + Int($1.visits) } }
}
