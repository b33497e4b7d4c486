// Draws from the store in batches: while one read is on its way, the wishes that come wait for the next, which takes them all. So
// one alone waits for nothing, and a crowd shares its transactions.
internal import Shortening
internal import Telemetry

/// The way from requests to the store's draws. Any thread; nothing here blocks.
final class DrawDesk: Sendable {
    private struct Waiting: Sendable {
        let wish: DrawWish
        let done: @Sendable (Result<DrawnLink?, StoreError>) -> Void
    }

    private struct State: Sendable {
        var waiting: [Waiting] = []
        var isAsking = false
    }

    private let store: any CollectionStore
    private let state = Lock(State())

    init(_ store: any CollectionStore) { self.store = store }

    /// Draws one member; `done` is called once, on a thread of the store.
    func draw(_ wish: DrawWish, done: @escaping @Sendable (Result<DrawnLink?, StoreError>) -> Void) {
        let starts = state.withLock { state in
            state.waiting.append(Waiting(wish: wish, done: done))
            defer { state.isAsking = true }
            return !state.isAsking
        }
        if starts { ask() }
    }

    /// Asks for all that wait. There is one such question at a time.
    private func ask() {
        let batch = state.withLock { state in
            let batch = state.waiting
            state.waiting = []
            if batch.isEmpty { state.isAsking = false }
            return batch
        }
        guard !batch.isEmpty else { return }
        store.drawMembers(batch.map(\.wish)) { [self] outcome in
            for (index, waiting) in batch.enumerated() { waiting.done(outcome.map { $0[index] }) }
            ask()
        }
    }
}
