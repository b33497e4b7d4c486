// A look at a file before anything is done to it: is it ours, empty, or none of our business? Changes nothing, not even
// beside the file, unless another program's log is there already, or the journal of a transaction that was cut off, which
// every reader undoes.
internal import Glibc
internal import Shortening

/// What a look found.
enum Standing {
    case absent
    /// No bytes, or a database without tables that nobody has put a name on.
    case empty
    /// Carries our application id, and no migration that we do not know.
    case ours
}

/// Looks at one file.
struct Inspection {
    /// "SHRT" in the header's application id (https://www.sqlite.org/fileformat2.html, 1.3).
    static let applicationID: Int32 = 0x5348_5254

    /// Files up to this size are read whole at a daemon's start, which takes less than a tenth of a second. A larger one
    /// would keep the daemon from starting in time; its damage shows when the page is read, or to `verify`.
    private static let wholeCheckLimit: Int64 = 16 << 20

    let file: StoreFile
    let schema: Schema
    /// Whether a daemon starts: small files are checked page by page then.
    let isDaemon: Bool

    /// Throws `unusable` with the file's name and the next step for a file that must not be touched.
    func standing() throws(StoreError) -> Standing {
        // The log first: a file that has just been made gets its first page before its log.
        let logSize = StoreFile.size(of: file.log) ?? 0
        guard let size = StoreFile.size(of: file.path), size > 0 else {
            // An empty store in its place would look like success.
            if StoreFile.size(of: file.restoring) != nil {
                throw .unusable(
                    "\(file.path) is missing: a restore of it was cut off. Run `shorty restore` again; what was there before lies "
                        + "beside it, with before-restore in its name. For an empty store delete \(file.restoring).")
            }
            // SQLite would delete the log, and with it whatever only the log holds.
            if logSize > 0 {
                throw .unusable(
                    "\(file.path) is missing or empty, but its log \(file.log) is not. Put the file back, or move the log away."
                )
            }
            return StoreFile.size(of: file.path) == nil ? .absent : .empty
        }
        // Without a log the file is read without locks, so as to leave nothing beside it. Should another process begin to
        // write just then, the look may see half a change; so bad news has to come three times.
        for _ in 0..<2 {
            if let standing = try? look() { return standing }
            usleep(20_000)
        }
        return try look()
    }

    private func look() throws(StoreError) -> Standing {
        let hasLog = StoreFile.size(of: file.log) != nil
        // What a cut transaction left in the file is not the file: half of the page that makes it ours, or the page that the
        // journal is about to take back. Only a connection that may write undoes it (https://www.sqlite.org/atomiccommit.html, 4).
        let hasJournal = StoreFile.size(of: file.journal) ?? 0 > 0
        let connection = try Connection(file.path, hasJournal ? .write : hasLog ? .read : .readImmutable)
        connection.setLockWait(milliseconds: 2000)
        let id = try connection.number(SQL.applicationID)
        if id == 0, try connection.number(SQL.countTables) == 0 { return .empty }
        guard id == Int64(Self.applicationID) else {
            throw .unusable(
                "\(file.path) belongs to another program (application id \(id)); it was left as it is. Name another file.")
        }
        _ = try schema.missing(in: connection)
        // Beside a daemon that has it open nobody else looks: it has done so itself, and goes on writing.
        let isOurs = isDaemon || !StoreLock.isTaken(file)
        if hasLog, !hasJournal, isOurs, let problem = try? LogDamage(file, connection).problem() {
            throw .unusable(problem)
        }
        if let problem = try damage(in: connection, hasLog: hasLog) {
            throw .unusable(
                "\(file.path) is damaged (\(problem)); it was left as it is. Restore a backup, or an earlier one.")
        }
        return .ours
    }

    private func damage(in connection: Connection, hasLog: Bool) throws(StoreError) -> String? {
        let size = StoreFile.size(of: file.path) ?? 0
        // With a log, a page half written is whole in the log.
        if !hasLog, try size % max(connection.number(SQL.pageSize), 1) != 0 { return "its last page is cut" }
        guard isDaemon, size <= Self.wholeCheckLimit else { return nil }
        let problems = try connection.texts(SQL.quickCheck)
        if problems == ["ok"] { return nil }
        // SQLite's lines, in one.
        return problems.joined(separator: "; ").split(separator: "\n").joined(separator: " ")
    }
}
