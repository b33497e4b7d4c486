// Storing links by the million, on a connection of its own beside the daemon's or another command's. It decides when to hold
// the write lock and when to let go of it; what is written is `BulkRows`' and `BulkDetails`' business.
//
//   waiting ──► in transaction ──► committed ──► working off the log ──► pausing ──► waiting …
//
// 1. The write lock is held for the time that the caller gives and a commit, then for working off the log, unless somebody else
//    has taken it, and no longer.
// 2. Before the next transaction it is free for at least `pause`. Another process's writer asks every 5 to 20 ms, so it gets its
//    turn in each gap.
// 3. The log stays near what one transaction writes: once it is worked off, it begins anew with whoever writes next
//    (https://www.sqlite.org/wal.html, 6).
internal import Glibc
package import Shortening

/// Bulk changes of a store. Confined to one thread.
package final class BulkInsert: BulkStore {
    /// Longer than the writer's longest wait between two tries (`Writer`).
    private static let pause: UInt32 = 25_000  // microseconds
    /// How long to wait for the write lock. Nobody stands waiting for an import, and a long transaction of another program
    /// should not end it.
    private static let patience = Duration.seconds(60)
    /// Pages of the log beyond which it must come to an end: 64 MiB.
    private static let longLog = 16_384

    private let connection: Connection
    private let rows: BulkRows
    private let begin, commit, rollback, beginRead: Statement
    private let log: LogWork

    /// On a store that was opened and so is up to date.
    init(_ file: StoreFile, logLimit: Int = LogWork.usualLimit) throws(StoreError) {
        connection = try Connection(file.path, .write)
        connection.setLockWait(milliseconds: 100)
        try connection.execute(SQL.tuneBulk)
        connection.setLockWait(milliseconds: 0)
        rows = try BulkRows(connection)
        begin = try connection.prepare(SQL.beginWrite)
        commit = try connection.prepare(SQL.commit)
        rollback = try connection.prepare(SQL.rollback)
        beginRead = try connection.prepare(SQL.beginRead)
        log = try LogWork(connection, limit: logLimit, checkFiles: OpenFiles(file).check)
    }

    package func add(
        within time: Duration, from fill: (inout PackedLinks) -> Bool,
        refuse: (_ row: Int, _ slug: String, _ outcome: BulkOutcome) -> Void
    ) throws(StoreError) -> BulkCounts {
        try takeLock()
        let counts = try undoing { () throws(StoreError) -> BulkCounts? in
            let deadline = Deadline(after: time)
            try rows.start()
            var counts = BulkCounts()
            var links = PackedLinks()
            repeat {
                guard fill(&links) else { return nil }
                try rows.add(links, to: &counts, refuse: refuse)
            } while !links.isEmpty && !deadline.isOver
            rows.finish()
            return counts
        }
        giveWay()
        return counts ?? BulkCounts()
    }

    package func outcomes(of links: PackedLinks) throws(StoreError) -> [BulkOutcome] {
        connection.setLockWait(milliseconds: 2000)
        defer { connection.setLockWait(milliseconds: 0) }
        try beginRead.run()
        return try undoing { () throws(StoreError) in try rows.outcomes(of: links) } ?? []
    }

    /// Ends the open transaction: by a commit after `body`, by undoing it after an error or nil.
    private func undoing<Result>(_ body: () throws(StoreError) -> Result?) throws(StoreError) -> Result? {
        do throws(StoreError) {
            let result = try body()
            try (result == nil ? rollback : commit).run()
            return result
        } catch {
            // An error while undoing leaves no transaction either: closing the connection would undo it too.
            if connection.isInTransaction { try? rollback.run() }
            throw error
        }
    }

    /// Asks again every millisecond: a busy daemon leaves gaps no longer than that.
    private func takeLock() throws(StoreError) {
        let deadline = Deadline(after: Self.patience)
        while true {
            do throws(StoreError) {
                return try begin.run()
            } catch .busy where !deadline.isOver {
                usleep(1000)
            }
        }
    }

    /// Works off the log, so that no daemon has to do it for us, and lets others write. Where readers keep the log long, they are
    /// waited for with the writers held up.
    private func giveWay() {
        log.doSome(waiting: connection.logPages > Self.longLog ? .milliseconds(200) : .zero)
        usleep(Self.pause)
    }
}
