// A few reading connections, each on a queue of its own, so that a look-up need not wait for a listing.
internal import Dispatch
internal import Shortening
internal import Synchronization

/// One reading connection with its queue.
final class Reader: @unchecked Sendable {
    // Sendable by hand: `session` is touched on `queue` only.
    private let queue = DispatchQueue(label: "shorty.store.reader")
    private var session: ReadSession?
    /// Questions asked and not yet answered.
    let load = Atomic<Int>(0)

    init(_ file: String) throws(StoreError) { session = try ReadSession(file) }

    /// Answers later, on the reader's queue.
    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (ReadSession) throws(StoreError) -> Answer,
        done: @escaping @Sendable (Result<Answer, StoreError>) -> Void
    ) {
        load.wrappingAdd(1, ordering: .relaxed)
        queue.async {
            let answer = self.answer(question)
            self.load.wrappingSubtract(1, ordering: .relaxed)
            done(answer)
        }
    }

    /// Blocks until the answer is there. Not from the reader's queue.
    func ask<Answer>(_ question: (ReadSession) throws(StoreError) -> Answer) throws(StoreError) -> Answer {
        load.wrappingAdd(1, ordering: .relaxed)
        defer { load.wrappingSubtract(1, ordering: .relaxed) }
        return try queue.sync { answer(question) }.get()
    }

    /// Closes the connection after the questions asked so far.
    func close() { queue.sync { session = nil } }

    private func answer<Answer>(_ question: (ReadSession) throws(StoreError) -> Answer) -> Result<Answer, StoreError> {
        guard let session else { return .failure(.closed) }
        do throws(StoreError) {
            return .success(try question(session))
        } catch {
            return .failure(error)
        }
    }
}

/// The readers of a store. Any thread.
struct ReaderPool: Sendable {
    private let readers: [Reader]

    init(_ file: String, count: Int) throws(StoreError) {
        var readers: [Reader] = []
        for _ in 0..<max(count, 1) { readers.append(try Reader(file)) }
        self.readers = readers
    }

    /// The one with the least to do, the first of equals.
    var idlest: Reader {
        var best = readers[0]
        for reader in readers.dropFirst()
        where reader.load.load(ordering: .relaxed) < best.load.load(ordering: .relaxed) { best = reader }
        return best
    }

    func close() { for reader in readers { reader.close() } }
}
