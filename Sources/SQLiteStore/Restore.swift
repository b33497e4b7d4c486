// Putting a backup in a store's place. What was there is moved aside with its log, never deleted and never mixed with the
// backup: whoever restores at night may have named the wrong file.
internal import CLinux
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
        // Which may be a store.
        let sourceLock = try LockFile(sharing: backup, makes: false, until: Deadline(after: .seconds(5)))
        defer { withExtendedLifetime(sourceLock) {} }
        let source = try backup.storeForReading()
        try store.checkAccess()
        let lock = try StoreLock(store)
        let restored = try Exchange(source, store, goesOn).run(holding: lock)
        lock.keep()
        return restored
    }
}

/// A checked copy of a backup beside the store that it is to replace.
private struct Exchange {
    /// How long commands that have the store open are waited for.
    private static let patience = Duration.seconds(5)

    let store: StoreFile
    let staged: StagedCopy
    let copy: StoreCopy
    /// In seconds since 1970, the time in the name of what is moved aside, which no other has. The copy has it too, so that one that takes
    /// over after a cut finds the name to which a part was moved already.
    let moment: Int64

    init(_ source: Connection, _ store: StoreFile, _ goesOn: (Int, Int) -> Bool) throws(StoreError) {
        self.store = store
        // Left by a restore that was cut off. What it left as `restoring` stays until there is something to replace it: without that,
        // the next daemon would start with nothing.
        unsafe unlink(store.unfinishedRestoring)
        staged = try StagedCopy(store.unfinishedRestoring, for: StoreFile(store.restoring))
        copy = try staged.fill(from: source, goesOn)
        moment = store.momentOfCutRestore ?? store.freeMoment
        try staged.setTime(moment)
        try staged.sync()
    }

    func run(holding lock: borrowing StoreLock) throws(StoreError) -> SQLiteStore.Restored {
        // The second question is for programs that know nothing of the lock.
        guard lock.takeAlone(until: Deadline(after: Self.patience)), !store.isOpenElsewhere else {
            throw .unusable("\(store.path) is in use by a command. Wait for its end, or stop it.")
        }
        try keepOwner()
        // From here on the copy is found after a power cut: it keeps a daemon from starting with nothing.
        try staged.publish()
        let setAside = try moveAside()
        guard unsafe rename(store.restoring, store.path) == 0 else {
            throw .failed("\(store.restoring) cannot be renamed to \(store.path): \(StoreError.systemText(errno)).")
        }
        try store.syncFolder()
        return SQLiteStore.Restored(
            copy: StoreCopy(path: store.path, links: copy.links, bytes: copy.bytes), setAside: setAside)
    }

    /// Gives the copy the old file's user, group and mode, wherever a restore that was cut off has moved that.
    private func keepOwner() throws(StoreError) {
        var (old, new) = (stat(), stat())
        if unsafe stat(store.path, &old) != 0, unsafe stat(store.aside(at: moment), &old) != 0 { return }
        guard unsafe stat(staged.file.path, &new) == 0 else { return }
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

    /// The database goes first: without it, a log that is still there keeps a daemon from starting. Where one cannot be moved, those
    /// before it go back.
    private func moveAside() throws(StoreError) -> String? {
        let aside = store.aside(at: moment)
        let suffixes = StoreFile.suffixes.filter { StoreFile.size(of: store.path + $0) != nil }
        for (index, suffix) in suffixes.enumerated() {
            if unsafe rename(store.path + suffix, aside + suffix) == 0 { continue }
            let reason = StoreError.systemText(errno)
            let isBack = suffixes[..<index].reversed().allSatisfy { unsafe rename(aside + $0, store.path + $0) == 0 }
            if isBack, StoreFile.size(of: store.path) != nil { unsafe unlink(store.restoring) }
            throw .failed("\(store.path + suffix) cannot be moved aside: \(reason).")
        }
        try store.syncFolder()
        // One that was cut off may have moved everything.
        return StoreFile.suffixes.contains { StoreFile.size(of: aside + $0) != nil } ? aside : nil
    }
}

extension StoreFile {
    /// A database's own name, and those of what SQLite keeps beside it, without the part that they share.
    fileprivate static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// What a store that a restore replaces is called then.
    fileprivate func aside(at moment: Int64) -> String {
        "\(path).before-restore-\(UTCTime(secondsSince1970: moment).stamp)"
    }

    /// Now, in seconds since 1970, or the next second of which no store was moved aside. A restore that takes over has the time alone to
    /// know the name by, so no two may have the same.
    fileprivate var freeMoment: Int64 {
        var moment = Int64(time(nil))
        while Self.suffixes.contains(where: { Self.size(of: aside(at: moment) + $0) != nil }) { moment += 1 }
        return moment
    }

    /// The time of a restore that has moved the database aside and not put the other one in its place; nil where there was none, or
    /// where what it has left cannot come to the name that it used.
    fileprivate var momentOfCutRestore: Int64? {
        var facts = stat()
        guard Self.size(of: path) == nil, unsafe stat(restoring, &facts) == 0 else { return nil }
        let moment = Int64(facts.st_mtim.tv_sec)
        let isInTheWay = Self.suffixes.contains {
            Self.size(of: path + $0) != nil && Self.size(of: aside(at: moment) + $0) != nil
        }
        return isInTheWay ? nil : moment
    }

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
