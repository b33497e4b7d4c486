// Putting a backup in a store's place. What was there is moved aside with its log, never deleted and never mixed with the
// backup: whoever restores at night may have named the wrong file.
internal import Glibc
package import Shortening
internal import Telemetry

extension SQLiteStore {
    /// What a restore did.
    package struct Restored: Equatable, Sendable {
        package let copy: StoreCopy
        /// Where what was there before is now, absolute; nil where nothing was.
        package let setAside: String?
    }

    /// Makes the store the same as a backup, which stays. Throws `unusable`, with the next step, for a file that is no sound
    /// store or backup and where a daemon or a command has the store open; nothing is changed then. The new file belongs to
    /// the old one's user. A power cut leaves the old store, the new one, or files that a daemon refuses to start with.
    /// `goesOn` as in `backUp`. Blocks.
    package static func restore(
        _ name: String, to database: String, goesOn: (_ done: Int, _ all: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> Restored {
        let (backup, store) = (try StoreFile(name), try StoreFile(database))
        if backup.path == store.path || backup.isSame(as: store) {
            throw .unusable("\(backup.path) is the store itself. Name a backup.")
        }
        let source = try backup.storeForReading()
        try store.checkAccess()
        // With a lock's file there, the daemon is asked before the work; where there is none the folder stays as it was
        // until the backup has turned out to be sound.
        if StoreFile.size(of: store.lock) != nil {
            let lock = try StoreLock(database: store.path)
            let exchange = try Exchange(source, store, goesOn)
            return try exchange.run(holding: lock)
        }
        let exchange = try Exchange(source, store, goesOn)
        return try exchange.run(holding: try StoreLock(database: store.path))
    }
}

/// A checked copy of a backup beside the store that it is to replace.
private struct Exchange {
    let store: StoreFile
    let staged: StagedCopy
    let copy: StoreCopy

    init(_ source: Connection, _ store: StoreFile, _ goesOn: (Int, Int) -> Bool) throws(StoreError) {
        self.store = store
        // Left by a restore that was cut off.
        unsafe unlink(store.restoring)
        staged = try StagedCopy(store.restoring, for: store)
        copy = try staged.fill(from: source, goesOn)
        try staged.sync()
    }

    func run(holding lock: borrowing StoreLock) throws(StoreError) -> SQLiteStore.Restored {
        if store.isOpenElsewhere {
            throw .unusable("\(store.path) is in use by a command. Wait for its end, or stop it.")
        }
        try keepOwner()
        // From here on the copy must be found after a power cut: it keeps a daemon from starting with nothing.
        try store.syncFolder()
        let setAside = try moveAside()
        try staged.publish()
        return SQLiteStore.Restored(copy: copy, setAside: setAside)
    }

    /// Gives the copy the old file's user, group and mode.
    private func keepOwner() throws(StoreError) {
        var (old, new) = (stat(), stat())
        guard unsafe stat(store.path, &old) == 0, unsafe stat(staged.file.path, &new) == 0 else { return }
        if old.st_uid != new.st_uid || old.st_gid != new.st_gid {
            let isGiven = unsafe chown(staged.file.path, old.st_uid, old.st_gid) == 0
            guard isGiven || old.st_uid == new.st_uid else {
                throw .readOnly(
                    "\(store.path) belongs to user \(old.st_uid), to whom user \(geteuid()) cannot give a file. Run this as "
                        + "that user or as root.")
            }
        }
        _ = unsafe chmod(staged.file.path, old.st_mode & 0o7777)
    }

    /// The database goes first: without it, a log that is still there keeps a daemon from starting.
    private func moveAside() throws(StoreError) -> String? {
        let suffixes = ["", "-wal", "-shm", "-journal"].filter { StoreFile.size(of: store.path + $0) != nil }
        if suffixes.isEmpty { return nil }
        let name = "\(store.path).before-restore-\(UTCTime.now.stamp)"
        var (aside, count) = (name, 1)
        while ["", "-wal", "-shm", "-journal"].contains(where: { StoreFile.size(of: aside + $0) != nil }) {
            count += 1
            aside = "\(name)-\(count)"
        }
        for suffix in suffixes {
            guard unsafe rename(store.path + suffix, aside + suffix) == 0 else {
                throw .failed("\(store.path + suffix) cannot be moved aside: \(StoreError.systemText(errno)).")
            }
        }
        try store.syncFolder()
        return aside
    }
}

extension StoreFile {
    /// Whether another process has the database open: each holds one of SQLite's locks for as long as it uses a log
    /// (https://www.sqlite.org/lockingv3.html: from byte 2^30 on, 512 bytes). Opens the file, so not where this process has it
    /// open as a database.
    fileprivate var isOpenElsewhere: Bool {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = 1 << 30
        range.l_len = 512
        // The pointer lives only for the call.
        return unsafe fcntl(descriptor, F_GETLK, &range) == 0 && range.l_type != Int16(F_UNLCK)
    }
}
