// Whether the names of the store's files still lead to the files that are open. Somebody may delete, move, replace or cut them
// while the daemon runs: SQLite goes on with what it has open and finds nothing wrong, and whatever is acknowledged then is
// gone with the process (https://www.sqlite.org/howtocorrupt.html, 4). Asks by name, with stat(2): see StoreFile.
internal import Glibc
internal import Shortening
internal import Synchronization

/// The files of an open store, as they were when it was opened. Any thread.
final class OpenFiles: Sendable {
    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t
    }

    private let file: StoreFile
    private let known: [(path: String, identity: Identity)]
    private let size: Atomic<Int64>
    // Stays: what SQLite has in memory and in the log belongs to a file that is no more.
    private let isCut = Atomic<Bool>(false)

    /// After a connection has read or written: the log and the shared memory are there from then until the last one closes.
    init(_ file: StoreFile) throws(StoreError) {
        self.file = file
        var known: [(path: String, identity: Identity)] = []
        for path in [file.path, file.log, file.sharedMemory] {
            guard let (identity, _) = Self.look(path) else { throw Self.missing(path) }
            known.append((path, identity))
        }
        self.known = known
        size = Atomic(Self.look(file.path)?.size ?? 0)
    }

    /// Throws `displaced`, with the file's name and the next step, where a name leads elsewhere or the file was cut. Three
    /// system calls of a microsecond.
    func check() throws(StoreError) {
        if isCut.load(ordering: .relaxed) { throw cut }
        for (path, identity) in known {
            guard let found = Self.look(path) else { throw Self.missing(path) }
            guard found.identity == identity else {
                throw .displaced(
                    "\(path) is not the file that is in use any more: another one has its name. Put the right one back, or "
                        + "stop Shorty before you exchange files.")
            }
            if path == file.path { try checkSize(found.size) }
        }
    }

    /// A file shrinks rightly only where somebody has run VACUUM. Then a connection that reads it afresh finds it whole.
    private func checkSize(_ now: Int64) throws(StoreError) {
        let before = size.load(ordering: .relaxed)
        if now < before, !isWhole(now) {
            isCut.store(true, ordering: .relaxed)
            throw cut
        }
        if now != before { size.store(now, ordering: .relaxed) }
    }

    private func isWhole(_ size: Int64) -> Bool {
        do throws(StoreError) {
            let connection = try Connection(file.path, .read)
            guard try connection.number(SQL.applicationID) == Int64(Inspection.applicationID) else { return false }
            return try size >= connection.number(SQL.pageCount) * connection.number(SQL.pageSize)
        } catch .unusable {
            return false
        } catch {
            // Nothing is known yet; the next look is near.
            return true
        }
    }

    private var cut: StoreError {
        .displaced("\(file.path) was cut short while it was in use. Stop Shorty and restore a backup.")
    }

    private static func missing(_ path: String) -> StoreError {
        .displaced(
            "\(path) is not there any more, though it is in use: it was moved or deleted. Put it back, or stop Shorty and "
                + "restore a backup.")
    }

    private static func look(_ path: String) -> (identity: Identity, size: Int64)? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return (Identity(device: facts.st_dev, number: facts.st_ino), Int64(facts.st_size))
    }
}
