// Whether the names of the store's files still lead to the files that are open. Somebody may delete, move or replace them, or cut
// the database, while the daemon runs: SQLite goes on with what it has open and finds nothing wrong, and whatever is acknowledged
// then is gone with the process (https://www.sqlite.org/howtocorrupt.html, 4). Asks by name: see StoreFile.
internal import CLinux
internal import Glibc
internal import Shortening
internal import Telemetry

/// The files of an open store, as they were when it was opened.
final class OpenFiles: Sendable {
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    private let file: StoreFile
    private let database, log, sharedMemory: (path: String, identity: Identity)
    private let length: Lock<Int64>
    // Stays: what SQLite has in memory and in the log belongs to a file that is no more.
    private let cut = Lock<StoreError?>(nil)

    /// After a connection has read or written: the log and the shared memory are there from then until the last one closes.
    init(_ file: StoreFile) throws(StoreError) {
        self.file = file
        database = try Self.known(file.path)
        log = try Self.known(file.log)
        sharedMemory = try Self.known(file.sharedMemory)
        length = Lock(Self.look(file.path)?.size ?? 0)
    }

    /// Throws `displaced`, with the file's name and the next step, where a name leads elsewhere or `checkLength` has found the
    /// database cut. Any thread. Three system calls of a microsecond.
    func check() throws(StoreError) { _ = try checkedLengths() }

    /// Throws as `check` does, and `displaced` from then on where the database was cut since the last call. On one queue only, or a
    /// file that grows between two calls could look as if it shrank. Takes half a second where it was. What cannot be known now,
    /// because the file cannot be opened or is just being written, is asked again by the next call.
    ///
    /// `log` is the length that the log has at least (`LogLength`), where that is known. Else a cut log cannot be told from one that
    /// SQLite has emptied.
    func checkLength(log needed: Int64 = 0) throws(StoreError) {
        let (now, log) = try checkedLengths()
        if log < needed { throw rememberCut(file.log) }
        let before = length.withLock { $0 }
        if now < before {
            guard let isWhole else { return }
            if !isWhole { throw rememberCut(file.path) }
        }
        if now != before { length.withLock { $0 = now } }
    }

    /// The lengths of the database and of its log in bytes, if all names lead where they should.
    private func checkedLengths() throws(StoreError) -> (database: Int64, log: Int64) {
        if let error = cut.withLock({ $0 }) { throw error }
        let lengths = (database: try Self.length(of: database), log: try Self.length(of: log))
        _ = try Self.length(of: sharedMemory)
        return lengths
    }

    private static func known(_ path: String) throws(StoreError) -> (path: String, identity: Identity) {
        guard let (identity, _) = look(path) else { throw missing(path) }
        return (path, identity)
    }

    private static func length(of known: (path: String, identity: Identity)) throws(StoreError) -> Int64 {
        guard let found = look(known.path) else { throw missing(known.path) }
        guard found.identity == known.identity else {
            throw .displaced(
                "\(known.path) is not the file that is in use any more: another one has its name. Put the right one back, or "
                    + "stop Shorty before you exchange files.")
        }
        return found.size
    }

    private func rememberCut(_ path: String) -> StoreError {
        let error = StoreError.displaced(
            "\(path) was cut short while it was in use. Stop Shorty, and restore a backup unless `shorty verify` finds it sound."
        )
        cut.withLock { $0 = error }
        return error
    }

    /// A database shrinks rightly only by a checkpoint after a VACUUM, which writes the new length into the first page and then
    /// shortens the file to it (https://www.sqlite.org/fileformat.html, 1.3.8). The next checkpoint that makes it longer also writes
    /// the first page first, so a file is cut only if it stays as it is for half a second. Nil where that is not known.
    private var isWhole: Bool? {
        var first: Int64?
        for _ in 0..<10 {
            do throws(StoreError) {
                let connection = try Connection(file.path, .read)
                guard try connection.number(SQL.applicationID) == Int64(Inspection.applicationID) else { return false }
                let length = try connection.fileLength()
                let wanted = Int64(length.pages) * (try connection.number(SQL.pageSize))
                if wanted > 0, length.bytes >= wanted { return true }
                if let first, first != length.bytes { return nil }
                first = length.bytes
            } catch .unusable {
                return false
            } catch {
                return nil
            }
            usleep(50_000)
        }
        return false
    }

    private static func missing(_ path: String) -> StoreError {
        .displaced(
            "\(path) is not there any more, though it is in use: it was moved or deleted. Put it back, or stop Shorty and "
                + "restore a backup.")
    }

    /// A symbolic link is looked at itself: one in a file's place leads the next start to another log.
    private static func look(_ path: String) -> (identity: Identity, size: Int64)? {
        var found = linux_file()
        guard unsafe linux_look_at_file(path, &found) == 0 else { return nil }
        return (Identity(device: found.device, number: found.number), found.size)
    }
}
