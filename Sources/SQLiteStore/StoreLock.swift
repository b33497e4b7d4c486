// One daemon a store: a lock that only daemons and whoever replaces the file take. Commands share the file's other one (LockFile).
internal import Glibc
package import Shortening

/// Holds `<database>.lock` for as long as it lives.
package struct StoreLock: ~Copyable, Sendable {
    /// A command that asks who has the lock holds it for a moment.
    private static let patience = Duration.milliseconds(100)

    private let file: LockFile

    /// Takes the lock for a daemon, or throws, naming the file (flock(2)). The lock's file stays behind.
    package init(database: String) throws(StoreError) {
        try self.init(StoreFile(database))
        keep()
    }

    /// The same for whoever may not get to use it: until `keep`, a lock's file that was not there goes again.
    init(_ store: StoreFile) throws(StoreError) {
        let deadline = Deadline(after: Self.patience)
        guard let file = try LockFile(sharing: store, makes: true, until: deadline) else { throw .closed }
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK else {
                throw .failed("\(store.lock) cannot be locked: \(StoreError.systemText(errno)).")
            }
            if deadline.isOver {
                throw .unusable("\(store.path) is in use by another shorty. Stop that one, or name another file.")
            }
            usleep(10_000)
        }
        self.file = file
    }

    /// Lets the lock's file stay behind.
    func keep() { file.keep() }

    /// Keeps everybody from opening the store, once all who have it open have closed it; false where that takes longer than
    /// `deadline`. Blocks.
    func takeAlone(until deadline: Deadline) -> Bool {
        while !file.takeAlone() {
            if deadline.isOver { return false }
            usleep(2_000)
        }
        return true
    }

    /// Whether somebody has the lock. Takes and drops it to find out.
    static func isTaken(_ file: StoreFile) -> Bool {
        let descriptor = unsafe open(file.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
