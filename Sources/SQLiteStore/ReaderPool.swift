// A few reading connections, each with a queue of its own, so that a look-up need not wait for a listing. Who must not wait may
// borrow one that is free.
internal import Dispatch
internal import Shortening
internal import Synchronization
internal import Telemetry

/// One reading connection with its queue.
final class Reader: @unchecked Sendable {
    // Sendable by hand: a session is reached with its lock only.
    private let queue = DispatchQueue(label: "shorty.store.reader")
    private let session: Lock<ReadSession?>
    private let trouble: Trouble
    /// Questions asked and not yet answered.
    let load = Atomic<Int>(0)

    init(_ file: String, _ trouble: Trouble) throws(StoreError) {
        session = Lock(try ReadSession(file))
        self.trouble = trouble
    }

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

    /// Answers on this thread; nil where somebody else has the connection. `question` must not wait for anything.
    func askIfFree<Answer>(_ question: (ReadSession) -> Answer) -> Answer? {
        session.withLockIfFree { session in session.map(question) } ?? nil
    }

    /// Closes the connection after the questions asked so far.
    func close() { queue.sync { session.withLock { $0 = nil } } }

    private func answer<Answer>(_ question: (ReadSession) throws(StoreError) -> Answer) -> Result<Answer, StoreError> {
        let answer: Result<Answer, StoreError> = session.withLock { session in
            guard let session else { return .failure(.closed) }
            do throws(StoreError) {
                return .success(try question(session))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success: trouble.passed()
        case .failure(.closed): break
        case .failure(let error): trouble.met(error)
        }
        return answer
    }
}

/// The readers of a store. Any thread.
struct ReaderPool: Sendable {
    private let readers: [Reader]

    init(_ file: String, _ options: SQLiteStore.Options) throws(StoreError) {
        let trouble = Trouble(in: .reads, options.onTrouble)
        var readers: [Reader] = []
        for _ in 0..<max(options.readers, 1) { readers.append(try Reader(file, trouble)) }
        self.readers = readers
    }

    /// The one with the least to do, the first of equals.
    var idlest: Reader {
        var best = readers[0]
        for reader in readers.dropFirst()
        where reader.load.load(ordering: .relaxed) < best.load.load(ordering: .relaxed) { best = reader }
        return best
    }

    /// Asks a reader that nobody uses, on this thread; nil where all are in use.
    func askIfFree<Answer>(_ question: (ReadSession) -> Answer) -> Answer? {
        for reader in readers where reader.load.load(ordering: .relaxed) == 0 {
            if let answer = reader.askIfFree(question) { return answer }
        }
        return nil
    }

    func close() { for reader in readers { reader.close() } }
}
