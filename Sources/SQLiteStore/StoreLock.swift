// One daemon a store: a lock beside the file that only daemons and whoever replaces the file take. Commands do without.
internal import Glibc
package import Shortening

/// Holds `<database>.lock` for as long as it lives; the system lets go of it with the process, however that ends.
package struct StoreLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Takes the lock at once or throws, naming the file (flock(2)). The lock's file stays behind: deleting it would let two
    /// daemons hold locks on two files of one name.
    package init(database: String) throws(StoreError) {
        let file = try StoreFile(database)
        let isNew = StoreFile.size(of: file.lock) == nil
        let descriptor = unsafe open(file.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw .readOnly(
                "\(file.lock) cannot be opened by user \(geteuid()): \(StoreError.systemText(errno)). "
                    + "Let that user write the folder.")
        }
        if isNew { file.settleOwnership(of: file.lock) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            if number == EWOULDBLOCK {
                throw .unusable("\(file.path) is in use by another shorty. Stop that one, or name another file.")
            }
            throw .failed("\(file.lock) cannot be locked: \(StoreError.systemText(number)).")
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether somebody has the lock. Takes and drops it to find out.
    static func isTaken(_ file: StoreFile) -> Bool {
        let descriptor = unsafe open(file.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
