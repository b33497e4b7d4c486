// Working off the log: moving what was committed from the write-ahead log into the database file, after which the log begins anew.
// SQLite would do it by itself after a commit, without the write lock. Before version 3.51.3 (Debian 12 has 3.40.1) a commit of
// another process that falls into that very moment can make it take pages for moved that are not, and they are lost
// (https://www.sqlite.org/wal.html#walresetbug). Here nobody can commit meanwhile: the writing connection holds the lock, and a
// second one does the work, since SQLite refuses it to a connection with a transaction.
internal import CLinux
internal import Glibc
internal import Shortening

/// The log of one writing connection, which it must not work off itself. Confined to that connection's thread or queue.
final class LogWork {
    /// Pages in the log that are worth the work: what SQLite has, 4 MB.
    static let usualLimit = 1000

    private let writer: Connection
    private let begin, end: Statement
    private let limit: Int
    private let checkFiles: () throws(StoreError) -> Void
    private let trouble: Trouble?
    /// The second connection, once it was needed: a store that is seldom written to does without.
    private var worker: Statement?
    /// Where the last work left something behind, because somebody still reads it: how long the log was, until when (monotonic
    /// nanoseconds) it need not be tried again, and how long that was.
    private var left: (pages: Int, until: UInt64, pause: UInt64)?
    private static let pauses: ClosedRange<UInt64> = 20_000_000...1_000_000_000

    /// `writer` counts its log's pages (`Connection.logPages`); with less than `limit` of them nothing is done. `checkFiles` throws
    /// where the file's name leads to another one than `writer` has open.
    init(
        _ writer: Connection, limit: Int = usualLimit, checkFiles: @escaping () throws(StoreError) -> Void = {},
        trouble: Trouble? = nil
    ) throws(StoreError) {
        self.writer = writer
        self.limit = limit
        self.checkFiles = checkFiles
        self.trouble = trouble
        begin = try writer.prepare(SQL.beginWrite)
        end = try writer.prepare(SQL.rollback)
    }

    /// Whether the log is long, and nothing speaks against working it off now.
    var isDue: Bool { isDue(writer.logPages) }

    /// Works off the log if it is long, all of it but what somebody still reads, for whose end it waits up to `time` with the
    /// write lock in hand. Outside a transaction. Where that fails, or another process writes, nothing is lost and the next time
    /// will do.
    func doSome(waiting time: Duration = .zero) {
        guard time > .zero ? writer.logPages >= limit : isDue else { return }
        // One that could not be ended would keep everybody from writing.
        if writer.isInTransaction { try? end.run() }
        guard (try? begin.run()) != nil else { return }
        let deadline = Deadline(after: time)
        var isDone = worked()
        while isDone == false, !deadline.isOver {
            usleep(1000)
            isDone = worked()
        }
        try? end.run()
        if isDone == true { return left = nil }
        let pause = min(left.map { $0.pause * 2 } ?? Self.pauses.lowerBound, Self.pauses.upperBound)
        left = (writer.logPages, linux_coarse_nanoseconds() + pause, pause)
    }

    /// As `work`; nil where that fails.
    private func worked() -> Bool? {
        do throws(StoreError) {
            let isDone = try work()
            trouble?.passed()
            return isDone
        } catch {
            if error != .busy { trouble?.met(error) }
            return nil
        }
    }

    /// Whether all of the log is in the file now.
    private func work() throws(StoreError) -> Bool {
        if worker == nil { worker = try opened() }
        guard let worker else { return false }
        return try worker.run { statement throws(StoreError) in
            try statement.step() && statement.integer(0) == 0 && statement.integer(1) == statement.integer(2)
        }
    }

    private func opened() throws(StoreError) -> Statement {
        try checkFiles()
        let connection = try Connection(writer.file, .write)
        try connection.execute(SQL.tuneLogWorker)
        return try connection.prepare(SQL.workOffLog)
    }

    /// A try may look at the whole log, so one that somebody reads for long is looked at ever more seldom, up to once a second,
    /// or once it has grown by as much again.
    private func isDue(_ pages: Int) -> Bool {
        guard pages >= limit else { return false }
        guard let left, pages >= left.pages else { return true }
        return pages >= left.pages + limit || linux_coarse_nanoseconds() >= left.until
    }
}
