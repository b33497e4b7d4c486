// Where a store's files are and whether the system lets us at them. Never opens the database file: closing any descriptor
// of it would drop the POSIX locks that SQLite holds for this process (https://www.sqlite.org/howtocorrupt.html, 2.2).
internal import CLinux
internal import Glibc
internal import Shortening

/// The resolved names of a database and of what lies beside it.
struct StoreFile: Sendable {
    /// Absolute, symbolic links followed, as SQLite names the files beside it too.
    let path: String
    let folder: String

    var log: String { path + "-wal" }
    var journal: String { path + "-journal" }
    var lock: String { path + ".lock" }
    var sharedMemory: String { path + "-shm" }
    /// What a restore puts in the database's place, whole and checked; gone when it has ended.
    var restoring: String { path + ".restoring" }
    /// The same while it is being put together.
    var unfinishedRestoring: String { restoring + ".partial" }

    /// Resolves a name; the file need not exist, its folder must.
    init(_ name: String) throws(StoreError) {
        guard !name.isEmpty, !name.utf8.contains(0) else { throw .unusable("The database has no usable file name.") }
        if let path = Self.resolve(name) {
            self.path = path
        } else {
            let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
            let parent = slash.map { $0 == name.startIndex ? "/" : String(name[..<$0]) } ?? "."
            guard let folder = Self.resolve(parent) else {
                let reason = StoreError.systemText(errno)
                throw .unusable(
                    "The folder \(parent) of \(name) cannot be used: \(reason). Make it, or name another file.")
            }
            let last = slash.map { String(name[name.utf8.index(after: $0)...]) } ?? name
            guard !last.isEmpty else { throw .unusable("\(name) is a folder; name a file in it.") }
            // SQLite would make the file at the link's other end, and look for what lies beside it here.
            var facts = stat()
            if unsafe lstat(name, &facts) == 0 {
                throw .unusable("\(name) is a symbolic link to a file that is not there. Name that file itself.")
            }
            self.path = folder == "/" ? "/" + last : folder + "/" + last
        }
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        folder = end == path.startIndex ? "/" : String(path[..<end])
    }

    /// Throws where the file or its folder is not ours to write, naming path and user. A missing file is no fault.
    func checkAccess() throws(StoreError) {
        var facts = stat()
        if unsafe stat(path, &facts) == 0 {
            guard facts.st_mode & S_IFMT == S_IFREG else { throw .unusable("\(path) is not a file. Name another one.") }
            // access(2) asks for the real user, who is also the effective one: nothing here is set-user-ID.
            if unsafe access(path, R_OK) != 0 {
                throw .unusable("\(path) cannot be read by \(Self.user). Let that user read and write it.")
            }
            if unsafe access(path, W_OK) != 0 {
                throw .readOnly("\(path) cannot be written by \(Self.user). Let that user write it.")
            }
        }
        if unsafe access(folder, W_OK | X_OK) != 0 {
            throw .readOnly(
                "\(folder) cannot be written by \(Self.user), and SQLite keeps files beside \(path). Let that user write it."
            )
        }
    }

    /// Bytes of a file; nil where there is none.
    static func size(of path: String) -> Int64? {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? Int64(facts.st_size) : nil
    }

    /// How many names the database's file has: more than one where there are hard links to it (link(2)).
    var nameCount: Int {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? Int(facts.st_nlink) : 0
    }

    /// Makes a fresh file private, and its folder's owner's where root made it, so that a daemon that runs as that owner can
    /// use it. Works by name, see above. Failing is no fault: the file works for whoever made it.
    func settleOwnership(of path: String) {
        _ = unsafe chmod(path, S_IRUSR | S_IWUSR)
        guard geteuid() == 0 else { return }
        var facts = stat()
        if unsafe stat(folder, &facts) == 0 { _ = unsafe chown(path, facts.st_uid, facts.st_gid) }
    }

    /// Puts the folder's new entry on the disk (fsync(2), notes).
    func syncFolder() throws(StoreError) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .readOnly("\(folder) cannot be opened: \(StoreError.systemText(errno)).") }
        defer { close(descriptor) }
        // EINVAL: a file system that knows no such thing.
        if fsync(descriptor) != 0, errno != EINVAL {
            throw .failed("\(folder) cannot be put on the disk: \(StoreError.systemText(errno)).")
        }
    }

    private static var user: String { "user \(geteuid())" }

    /// realpath(3); nil with errno set where there is no such file.
    private static func resolve(_ name: String) -> String? {
        guard let path = unsafe realpath(name, nil) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
