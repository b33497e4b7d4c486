// The one writer: a queue of changes, and one connection that makes all that wait in one transaction. It never waits for a
// lock with its queue blocked, because other work of that queue (looking for other processes' commits) has to go on. A thread that
// asks for a change may lend itself for the transaction (`offersWork`); the rest is done by a thread of the queue's.
//
//             submit            lock taken            committed                       the log is long
//   (idle) ───────────► draining ─────────► in transaction ─────────► acknowledging ──(working it off)──► draining, or idle
//                          ▲ │ busy                │ error
//                          │ ▼                     ▼
//                       waiting 5–20 ms     rolled back: the store's fault fails all; one change's fault: each alone
//
// 1. `session` and `waiting` are touched on `queue` only; `inbox` under its lock.
// 2. `inbox.isScheduled` is true from a submit until a drain found nothing waiting; while it is, one drain is on its way.
// 3. A change is answered once: after its transaction, or when its deadline is over, or when the writer closes.
// 4. Generations move after the commit and before anybody is told of it.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Shortening
internal import Synchronization
internal import Telemetry

/// Makes changes durable, in the order in which they came. Any thread may submit.
final class Writer: @unchecked Sendable {
    // Sendable by hand, by invariant 1.

    /// Changes in one transaction at most: it bounds how long the first of them waits for the last.
    private static let batchLimit = 512
    /// For so long after changes have met, in nanoseconds, no thread is asked to lend itself.
    private static let crowdPatience: UInt64 = 50_000_000

    private struct Inbox: Sendable {
        var writes: [PendingWrite] = []
        var isScheduled = false
        var isClosed = false
        /// Until then (`linux_coarse_nanoseconds`) changes are likely to come during another's transaction.
        var crowdedUntil: UInt64 = 0
    }

    let queue = DispatchQueue(label: "shorty.store.writer")
    let health: WriteHealth
    private let generations: Generations
    private let files: OpenFiles
    private let wait: Duration
    private let offersWork: @Sendable (@escaping @Sendable (Bool) -> Void) -> Bool
    private let inbox = Lock(Inbox())
    private var log: LogWork?
    private var session: WriteSession?
    private var waiting: [PendingWrite] = []

    init(_ session: WriteSession, log: LogWork, files: OpenFiles, generations: Generations, _ options: SQLiteStore.Options)
    {
        self.session = session
        self.log = log
        self.files = files
        self.generations = generations
        wait = options.writeWait
        health = WriteHealth(Trouble(in: .changes, options.onTrouble))
        offersWork = options.offersWork
    }

    /// Enqueues a change. `apply` runs on the writer's queue inside a transaction, more than once where that had to be undone;
    /// `touched` names the slug whose answer it changed; `done` is called once, on the writer's queue.
    func submit<Outcome: Sendable>(
        _ apply: @escaping @Sendable (WriteSession) throws(StoreError) -> Outcome,
        touched: @escaping @Sendable (Outcome) -> Slug? = { _ in nil }, touchesKeys: Bool = false,
        done: @escaping @Sendable (Result<Outcome, StoreError>) -> Void
    ) {
        let write = PendingWrite(
            deadline: Deadline(after: wait),
            run: { session throws(StoreError) in
                let outcome = try apply(session)
                return Acknowledgement(touched: touched(outcome), touchesKeys: touchesKeys) { done(.success(outcome)) }
            },
            fail: { done(.failure($0)) })
        let (isClosed, startsDrain, isAlone) = inbox.withLock { inbox in
            if inbox.isClosed { return (true, false, false) }
            inbox.writes.append(write)
            let startsDrain = !inbox.isScheduled
            inbox.isScheduled = true
            return (false, startsDrain, startsDrain && linux_coarse_nanoseconds() >= inbox.crowdedUntil)
        }
        if isClosed { queue.async { write.fail(.closed) } }
        if startsDrain, !(isAlone && offersWork { self.drain(here: $0) }) { drain(here: false) }
    }

    /// A drain on the queue: with `here` on this thread and at once, which waits for what else the queue does.
    private func drain(here: Bool) { if here { queue.sync { drain() } } else { queue.async { self.drain() } } }

    /// The connection, for the daemon's housekeeping; nil once closed. On the queue only.
    var housekeepingSession: WriteSession? {
        dispatchPrecondition(condition: .onQueue(queue))
        return session
    }

    /// Finishes what waits, refuses what comes later, runs `last` and closes the connection. Blocks; not from the queue.
    func close(last: (WriteSession) -> Void) {
        inbox.withLock { $0.isClosed = true }
        queue.sync {
            // Nothing else needs the queue any more, so it may wait for a lock itself.
            while !takeBatch().isEmpty { if commitBatch() == .busy { usleep(10_000) } }
            if let session { last(session) }
            // The session's is the last connection to close.
            log = nil
            session = nil
        }
    }

    // MARK: On the queue

    private enum Progress {
        case went
        case busy
    }

    private func drain() {
        guard session != nil, !takeBatch().isEmpty else { return }
        if commitBatch() == .busy {
            // At different moments, so that two writers do not always meet again.
            return queue.asyncAfter(deadline: .now() + .milliseconds(.random(in: 5...20))) { self.drain() }
        }
        let isMore = !takeBatch().isEmpty
        // Those who come meanwhile are better served by the store's own thread: it goes on, where a lent one has to call it.
        if isMore { inbox.withLock { $0.crowdedUntil = linux_coarse_nanoseconds() + Self.crowdPatience } }
        // Anew, so that whatever else waits for the queue gets its turn between two batches, and a thread that has lent itself may go.
        if isMore || log?.isDue == true {
            queue.async {
                self.workOffLog()
                if isMore { self.drain() }
            }
        }
    }

    /// The first of what waits; empty, and then nothing is scheduled any more, when nothing does.
    private func takeBatch() -> ArraySlice<PendingWrite> {
        inbox.withLock { inbox in
            waiting += inbox.writes
            inbox.writes.removeAll(keepingCapacity: inbox.writes.count <= Self.batchLimit)
            if waiting.isEmpty { inbox.isScheduled = false }
        }
        return waiting.prefix(Self.batchLimit)
    }

    private func commitBatch() -> Progress {
        let batch = waiting.prefix(Self.batchLimit)
        switch commit(batch) {
        case .success: waiting.removeFirst(batch.count)
        case .failure(.busy):
            expire()
            return waiting.isEmpty ? .went : .busy
        case .failure(let error) where error.concernsWholeStore || batch.count == 1:
            waiting.removeFirst(batch.count)
            for write in batch { write.fail(error) }
        case .failure: return commitFirst(batch.count)
        }
        return .went
    }

    /// One change of a batch was refused: each is tried alone, so that only that one fails.
    private func commitFirst(_ count: Int) -> Progress {
        for _ in 0..<count {
            let write = waiting[waiting.startIndex]
            switch commit(waiting.prefix(1)) {
            case .success: waiting.removeFirst()
            case .failure(.busy): return .busy
            case .failure(let error):
                waiting.removeFirst()
                write.fail(error)
            }
        }
        return .went
    }

    /// One transaction; on success everything in it is acknowledged, on failure nothing of it was stored and nobody told.
    private func commit(_ batch: ArraySlice<PendingWrite>) -> Result<Void, StoreError> {
        guard let session else { return .failure(.closed) }
        var acknowledgements: [Acknowledgement] = []
        acknowledgements.reserveCapacity(batch.count)
        do throws(StoreError) {
            try session.transaction { () throws(StoreError) in
                // Nobody is told that something is stored in a file that no name leads to, or behind a gap.
                try files.checkLength(log: session.logLength.needed)
                for write in batch { acknowledgements.append(try write.run(session)) }
            }
        } catch {
            if error != .busy { health.failed(error) }
            return .failure(error)
        }
        health.succeeded()
        for acknowledgement in acknowledgements {
            if let slug = acknowledgement.touched { generations.advance(slug) }
            if acknowledgement.touchesKeys { generations.keys.wrappingAdd(1, ordering: .releasing) }
        }
        for acknowledgement in acknowledgements { acknowledgement.call() }
        return .success(())
    }

    /// Works off the log if it is long. On the queue, outside a transaction.
    func workOffLog() { log?.doSome() }

    /// Fails those that have waited for the lock long enough.
    private func expire() {
        let (over, rest) = (waiting.filter(\.deadline.isOver), waiting.filter { !$0.deadline.isOver })
        guard !over.isEmpty else { return }
        health.failed(.busy)
        waiting = rest
        for write in over { write.fail(.busy) }
    }
}
