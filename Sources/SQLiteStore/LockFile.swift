// The file beside a database whose locks say who uses it: `<database>.lock`. Everybody who opens the store shares its first byte,
// so that nobody exchanges the files under an open connection, which would go on with the old ones and leave its log beside the
// new. Locks of an open file description, not of the process (fcntl(2), F_OFD_SETLK): they live until this closes.
internal import CLinux
internal import Glibc
internal import Shortening
internal import Synchronization

/// An open lock's file, shared or held alone. The system lets go of it with the process, however that ends.
final class LockFile: Sendable {
    let descriptor: Int32
    private let file: StoreFile
    /// Whether it was made here, and so goes again if nobody else has come to use it.
    private let goesAgain: Atomic<Bool>

    /// Shares the lock; while a restore exchanges the files it waits, up to `deadline`, and then throws `unusable`. Without
    /// `makes`, nil where there is no such file, or where it cannot be opened: for whoever only reads.
    init?(sharing file: StoreFile, makes: Bool, until deadline: Deadline) throws(StoreError) {
        // Of one that root makes for this user, the owner is right a moment later.
        let patience = Deadline(after: .milliseconds(50))
        while true {
            let isMade = makes && StoreFile.size(of: file.lock) == nil
            // Not to wait for whoever writes to a pipe of that name.
            let flags = (makes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            let descriptor = unsafe open(file.lock, flags, S_IRUSR | S_IWUSR)
            if descriptor < 0 {
                let number = errno
                if number == EACCES, !patience.isOver {
                    usleep(2_000)
                    continue
                }
                if !makes, number == ENOENT || number == EACCES { return nil }
                throw Self.refusal(of: file, number: number)
            }
            guard file.isLock(descriptor) else {
                close(descriptor)
                throw Self.noFile(file)
            }
            if makes { file.settleAccess(ofLock: descriptor) }
            let number = linux_lock_first_byte(descriptor, Int16(F_RDLCK)) == 0 ? 0 : errno
            // Whoever had made it may have taken it away since it was opened: then it is nobody's lock.
            if number == 0, file.names(descriptor) {
                (self.descriptor, self.file) = (descriptor, file)
                goesAgain = Atomic(isMade)
                return
            }
            close(descriptor)
            guard number == 0 || number == EAGAIN || number == EACCES else {
                throw .failed("\(file.lock) cannot be locked: \(StoreError.systemText(number)).")
            }
            if deadline.isOver { throw .unusable("\(file.path) is just being restored. Wait for the end of that.") }
            usleep(2_000)
        }
    }

    /// The lock, and what `look` finds while it is shared. A lock's file is made only where `look` throws nothing: not beside a file that
    /// is none of ours.
    static func sharing<Found>(
        _ file: StoreFile, until deadline: Deadline, _ look: () throws(StoreError) -> Found
    ) throws(StoreError) -> (LockFile, Found) {
        let known = try LockFile(sharing: file, makes: false, until: deadline)
        let found = try look()
        if let known { return (known, found) }
        guard let lock = try LockFile(sharing: file, makes: true, until: deadline) else { throw .closed }
        return (lock, try look())
    }

    deinit {
        if goesAgain.load(ordering: .relaxed) { withdraw() }
        close(descriptor)
    }

    /// Lets the file stay behind, as a sign that a store is here.
    func keep() { goesAgain.store(false, ordering: .relaxed) }

    /// Keeps others from sharing the lock; false, and no change, where somebody shares it now.
    func takeAlone() -> Bool { linux_lock_first_byte(descriptor, Int16(F_WRLCK)) == 0 }

    /// Deletes the file, where nobody else uses it.
    private func withdraw() {
        if takeAlone(), file.names(descriptor) { unsafe unlink(file.lock) }
    }

    private static func noFile(_ file: StoreFile) -> StoreError {
        .unusable("\(file.lock) is not a file. Delete it.")
    }

    private static func refusal(of file: StoreFile, number: Int32) -> StoreError {
        if number == ENOSPC || number == EDQUOT { return .full }
        if number == ELOOP || number == EISDIR || number == ENXIO { return noFile(file) }
        return .readOnly(
            "\(file.lock) cannot be opened by user \(geteuid()): \(StoreError.systemText(number)). "
                + "Let that user write the file and its folder.")
    }
}

extension StoreFile {
    /// Whether what was opened by the lock's name is a file.
    fileprivate func isLock(_ descriptor: Int32) -> Bool {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    /// Whether the lock's name leads to an open file.
    fileprivate func names(_ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        guard unsafe lstat(lock, &named) == 0, unsafe fstat(descriptor, &opened) == 0 else { return false }
        return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    /// Lets those write the lock's file who may write the database, or who may write the folder where there is none yet. Failing is
    /// no fault: the file works for whoever made it. Only what can be a lock is touched: whoever may write the folder could have
    /// given its name to another file, and root would hand that over.
    fileprivate func settleAccess(ofLock descriptor: Int32) {
        var (database, lock) = (stat(), stat())
        guard unsafe fstat(descriptor, &lock) == 0, lock.st_size == 0, lock.st_nlink == 1 else { return }
        let isThere = unsafe stat(path, &database) == 0
        let mode = isThere ? database.st_mode & 0o666 : S_IRUSR | S_IWUSR
        if lock.st_mode & 0o777 != mode { _ = fchmod(descriptor, mode) }
        if !isThere, unsafe stat(folder, &database) != 0 { return }
        // Only root may give a file away; the owner may give it to a group of his.
        let isRoot = geteuid() == 0
        if isRoot && lock.st_uid != database.st_uid || (isRoot || isThere) && lock.st_gid != database.st_gid {
            _ = fchown(descriptor, isRoot ? database.st_uid : uid_t.max, database.st_gid)
        }
    }
}
