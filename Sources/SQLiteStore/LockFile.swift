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
        while true {
            let isMade = makes && StoreFile.size(of: file.lock) == nil
            let flags = (makes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW
            let descriptor = unsafe open(file.lock, flags, S_IRUSR | S_IWUSR)
            if descriptor < 0 {
                if !makes { return nil }
                throw Self.refusal(of: file, number: errno)
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

    private static func refusal(of file: StoreFile, number: Int32) -> StoreError {
        if number == ENOSPC || number == EDQUOT { return .full }
        return .readOnly(
            "\(file.lock) cannot be opened by user \(geteuid()): \(StoreError.systemText(number)). "
                + "Let that user write the file and its folder.")
    }
}

extension StoreFile {
    /// Whether the lock's name leads to an open file.
    fileprivate func names(_ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        guard unsafe lstat(lock, &named) == 0, unsafe fstat(descriptor, &opened) == 0 else { return false }
        return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    /// Lets those write the lock's file who may write the database, or who may write the folder where there is none yet. Failing is
    /// no fault: the file works for whoever made it.
    fileprivate func settleAccess(ofLock descriptor: Int32) {
        var (database, lock) = (stat(), stat())
        guard unsafe fstat(descriptor, &lock) == 0 else { return }
        let isThere = unsafe stat(path, &database) == 0
        let mode = isThere ? database.st_mode & 0o666 : S_IRUSR | S_IWUSR
        if lock.st_mode & 0o777 != mode { _ = fchmod(descriptor, mode) }
        guard geteuid() == 0 else { return }
        if !isThere, unsafe stat(folder, &database) != 0 { return }
        if lock.st_uid != database.st_uid || lock.st_gid != database.st_gid {
            _ = fchown(descriptor, database.st_uid, database.st_gid)
        }
    }
}
