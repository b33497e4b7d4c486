// What was drawn for which session, for some minutes and in bounded memory; and who waits to hear of a draw that has not come yet.
// The apps ask for a photo and for its details at once, so the second question may well be here first.
internal import Dispatch
internal import Shortening
internal import Telemetry

/// The memory of draws. Any thread; nothing here blocks.
final class DrawnSessions: Sendable {
    /// A session of one collection. The numbers are small and meet: the last draw wins.
    struct Key: Hashable, Sendable {
        /// Bytes of a session's text at most; a longer one is no session of any app.
        private static let limit = 64

        let collection: CollectionName
        let session: String

        init?(_ collection: CollectionName, _ session: String?) {
            guard let session, !session.isEmpty, session.utf8.count <= Self.limit else { return nil }
            self.collection = collection
            self.session = session
        }
    }

    private struct Draw: Sendable {
        let link: LinkID
        let at: ContinuousClock.Instant
    }

    private struct Waiter: Sendable {
        let deadline: ContinuousClock.Instant
        let done: @Sendable (LinkID?) -> Void
    }

    private struct State: Sendable {
        /// Two halves: when the young one is full or old, it takes the old one's place. So forgetting costs nothing.
        var young: [Key: Draw] = [:]
        var old: [Key: Draw] = [:]
        var youngSince = ContinuousClock.now
        /// Draws on their way.
        var drawing: [Key: Int] = [:]
        var waiting: [Key: [Waiter]] = [:]
        var waiters = 0
        var isSweepScheduled = false
    }

    /// How long a draw is remembered.
    private let memory: Duration
    /// Sessions in one half, some 200 bytes each.
    private let capacity: Int
    /// How long somebody waits for a draw.
    private let patience: Duration
    /// Who may wait at one time; whoever comes then is told at once that nothing was drawn.
    private let waiterLimit: Int
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "shorty.sessions")

    init(
        patience: Duration, memory: Duration = .seconds(600), capacity: Int = 10_000, waiterLimit: Int = 1000
    ) {
        self.memory = memory
        self.capacity = capacity
        self.patience = patience
        self.waiterLimit = waiterLimit
    }

    /// A draw for the session is on its way: whoever asks from now on waits for it. `end` must follow.
    func begin(_ key: Key) { state.withLock { $0.drawing[key, default: 0] += 1 } }

    /// The draw has come, or has come to nothing.
    func end(_ key: Key, _ link: LinkID?) {
        let told = state.withLock { state -> [Waiter] in
            if let count = state.drawing[key] { state.drawing[key] = count > 1 ? count - 1 : nil }
            guard let link else { return [] }
            remember(key, link, &state)
            let told = state.waiting.removeValue(forKey: key) ?? []
            state.waiters -= told.count
            return told
        }
        for waiter in told { waiter.done(link) }
    }

    /// What was drawn for the session: at once where that is known and no draw is on its way, else when one comes, nil when none
    /// came in time. `done` is called once, on any thread.
    func find(_ key: Key, done: @escaping @Sendable (LinkID?) -> Void) {
        let now = ContinuousClock.now
        let (known, waits) = state.withLock { state -> (LinkID?, Bool) in
            if state.drawing[key] == nil, let draw = state.young[key] ?? state.old[key], now - draw.at < memory {
                return (draw.link, false)
            }
            guard state.waiters < waiterLimit else { return (nil, false) }
            state.waiters += 1
            state.waiting[key, default: []].append(Waiter(deadline: now + patience, done: done))
            scheduleSweep(&state, at: now + patience, now)
            return (nil, true)
        }
        if !waits { done(known) }
    }

    /// Sessions remembered now, for tests.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    private func remember(_ key: Key, _ link: LinkID, _ state: inout State) {
        let now = ContinuousClock.now
        if state.young.count >= capacity || now - state.youngSince >= memory {
            state.old = state.young
            state.young = [:]
            state.youngSince = now
        }
        state.young[key] = Draw(link: link, at: now)
    }

    // MARK: Waiting

    /// One timer for all, and only while somebody waits.
    private func scheduleSweep(
        _ state: inout State, at deadline: ContinuousClock.Instant, _ now: ContinuousClock.Instant
    ) {
        guard !state.isSweepScheduled else { return }
        state.isSweepScheduled = true
        let wait = (deadline - now).components
        let nanoseconds = Int(wait.seconds) * 1_000_000_000 + Int(wait.attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(max(0, nanoseconds))) { [weak self] in self?.sweep() }
    }

    /// Tells those who have waited long enough, and looks again when the next one has.
    private func sweep() {
        let now = ContinuousClock.now
        let over = state.withLock { state -> [Waiter] in
            state.isSweepScheduled = false
            var over: [Waiter] = []
            var next: ContinuousClock.Instant?
            for (key, waiters) in state.waiting {
                over += waiters.filter { $0.deadline <= now }
                let rest = waiters.filter { $0.deadline > now }
                state.waiting[key] = rest.isEmpty ? nil : rest
                // They came in this order.
                if let first = rest.first?.deadline { next = min(next ?? first, first) }
            }
            state.waiters -= over.count
            if let next { scheduleSweep(&state, at: next, now) }
            return over
        }
        for waiter in over { waiter.done(nil) }
    }
}
