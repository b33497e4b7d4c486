// From a file name to a connection that may write: look, claim, switch to the write-ahead log, migrate. Everything under
// SQLite's locks, so that any number of processes may do it at once.
internal import Glibc
internal import Shortening

/// Opens the writing connection of a store.
struct Opening {
    let file: StoreFile
    let options: SQLiteStore.Options

    /// What came of it.
    struct Result {
        /// To a file that is ours and up to date; it does not wait for locks.
        let connection: Connection
        /// What keeps the file from being exchanged as long as it lives.
        let lock: LockFile
        /// Whether there was no such file before.
        let isNew: Bool
    }

    /// Blocks.
    func writer() throws(StoreError) -> Result {
        try file.checkAccess()
        let schema = Schema(migrations: options.migrations)
        let deadline = Deadline(after: options.writeWait)
        let (lock, standing) = try LockFile.sharing(file, until: deadline) { () throws(StoreError) -> Standing in
            try look(schema)
        }
        // A store that was there and is not any more was moved by somebody: no empty one may take its name.
        let connection = try Connection(file.path, standing == .absent ? .create : .write)
        if standing == .absent { file.settleOwnership(of: file.path) }
        if connection.isReadOnly { throw .readOnly("\(file.path) cannot be written by user \(geteuid()).") }
        connection.setLockWait(milliseconds: 100)
        if standing != .ours { try retrying(until: deadline) { () throws(StoreError) in try claim(connection) } }
        try retrying(until: deadline) { () throws(StoreError) in try useLog(connection) }
        try connection.execute(SQL.tuneWriter)
        if standing == .ours, !options.isDaemon { try leaveOlderDaemonAlone(schema, connection, until: deadline) }
        try retrying(until: deadline) { () throws(StoreError) in
            try schema.migrate(connection) { if standing == .ours { options.onStep($0.name) } }
        }
        connection.setLockWait(milliseconds: 0)
        return Result(connection: connection, lock: lock, isNew: standing == .absent)
    }

    private func look(_ schema: Schema) throws(StoreError) -> Standing {
        let standing = try Inspection(file: file, schema: schema, isDaemon: options.isDaemon).standing()
        if standing == .absent, !options.createIfMissing {
            throw .unusable("\(file.path) does not exist. Start `shorty serve` with it once, or name another file.")
        }
        return standing
    }

    /// A daemon that runs while steps are missing does not know them, and would write what they do not expect. One that just
    /// starts takes them itself, which is waited for.
    private func leaveOlderDaemonAlone(
        _ schema: Schema, _ connection: Connection, until deadline: Deadline
    ) throws(StoreError) {
        while try !schema.missing(in: connection).isEmpty, StoreLock.isTaken(file) {
            if deadline.isOver {
                throw .unusable(
                    "\(file.path) is of an older Shorty, and a daemon has it open: one that is just bringing it up to date, which is "
                        + "to be waited for, or an older one. Start that one anew with this program first.")
            }
            usleep(10_000)
        }
    }

    /// Writes our id into a file that has no tables. It goes into the file's first page before the log is used, so that a
    /// later look needs no log to know it.
    private func claim(_ connection: Connection) throws(StoreError) {
        try connection.execute(SQL.beginWrite)
        do throws(StoreError) {
            let id = try connection.number(SQL.applicationID)
            if id != Int64(Inspection.applicationID) {
                guard id == 0, try connection.number(SQL.countTables) == 0 else {
                    throw .unusable("\(file.path) was just taken by another program. Name another file.")
                }
                try connection.execute(SQL.setApplicationID(Inspection.applicationID))
            }
            try connection.execute(SQL.commit)
        } catch {
            if connection.isInTransaction { try? connection.execute(SQL.rollback) }
            throw error
        }
        try file.syncFolder()
    }

    private func useLog(_ connection: Connection) throws(StoreError) {
        let mode = try connection.texts(SQL.useWriteAheadLog)
        guard mode == ["wal"] else {
            throw .unusable(
                "\(file.path) lies on a file system that cannot share memory between processes. Name another place.")
        }
    }

    /// Tries again while another process holds a lock. SQLite's own waiting does not cover the change of the journal mode,
    /// which fails at once where waiting might end in a deadlock.
    private func retrying(until deadline: Deadline, _ attempt: () throws(StoreError) -> Void) throws(StoreError) {
        while true {
            do throws(StoreError) {
                return try attempt()
            } catch .busy where !deadline.isOver {
                usleep(10_000)
            }
        }
    }
}
