// Copying a store that is in use. SQLite's page copy rather than VACUUM INTO: it moves pages at the disk's speed, where VACUUM
// sorts and builds every index anew beside a daemon that needs its cores. The check afterwards reads every page anyway.
internal import CLinux
internal import Glibc
package import Shortening

extension SQLiteStore {
    /// Writes a backup that holds everything acknowledged before the call and nothing half done, in place of an earlier backup
    /// of that name if there is one. It is whole, checked and on the disk when this returns; after an error the earlier one is
    /// as it was. Throws `unusable`, with the next step, for a name that belongs to something else. `goesOn` hears pages done
    /// and all pages now and then, and ends the copy in `closed` by saying no. Blocks, beside everything else; while it copies,
    /// the store's log grows.
    package static func backUp(
        _ database: String, to name: String, goesOn: (_ done: Int, _ all: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> StoreCopy {
        let (store, target) = (try StoreFile(database), try StoreFile(name))
        // Looks before it opens; the connection for writing is for a log that has to be put in order first.
        let (lock, _) = try LockFile.sharing(store, until: Deadline(after: .seconds(5))) { () throws(StoreError) in
            try store.storeForReading()
        }
        defer { withExtendedLifetime(lock) {} }
        try target.checkBackupPlace(for: store)
        let staged = try StagedCopy("\(target.path).partial-\(getpid())", for: target)
        let copy = try staged.fill(from: Self.source(store), goesOn)
        try staged.sync()
        try staged.publish()
        return copy
    }

    private static func source(_ store: StoreFile) throws(StoreError) -> Connection {
        let connection = try Connection(store.path, .write)
        connection.setLockWait(milliseconds: 5_000)
        try connection.execute(SQL.tuneReader)
        return connection
    }
}

extension StoreFile {
    /// Throws where a backup under this name would replace something other than a backup.
    fileprivate func checkBackupPlace(for store: StoreFile) throws(StoreError) {
        if [store.path, store.log, store.sharedMemory, store.journal, store.lock].contains(path) || isSame(as: store) {
            throw .unusable("\(path) belongs to the store itself. Name another file for the backup.")
        }
        guard Self.size(of: path) != nil else { return }
        for neighbour in [log, lock] where Self.size(of: neighbour) != nil {
            throw .unusable(
                "\(path) has \(neighbour) beside it, so it is a store and no backup; it was left as it is. Name another file."
            )
        }
        guard Self.hasOurMark(path) else {
            throw .unusable("\(path) is no backup of Shorty; it was left as it is. Name another file.")
        }
    }

    /// Whether both names lead to one file.
    func isSame(as other: StoreFile) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard unsafe stat(path, &mine) == 0, unsafe stat(other.path, &theirs) == 0 else { return false }
        return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }

    /// Whether a regular file begins as ours do (https://www.sqlite.org/fileformat2.html, 1.3). Opens it: not for a database
    /// that this process has open.
    private static func hasOurMark(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
        var header = [UInt8](repeating: 0, count: 100)
        let count = unsafe header.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        let mark = header[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return count == 100 && header.starts(with: Array("SQLite format 3\0".utf8))
            && mark == UInt32(Inspection.applicationID)
    }
}
