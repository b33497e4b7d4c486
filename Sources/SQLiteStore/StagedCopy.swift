// A copy of a database under a name that nobody asks for. It gets its real one when it is whole, checked and on the disk; until
// then whatever has that name is left alone.
internal import CLinux
internal import Glibc
internal import Shortening

/// A finished copy.
package struct StoreCopy: Equatable, Sendable {
    /// Absolute.
    package let path: String
    /// Links that lead somewhere.
    package let links: Int64
    package let bytes: Int64
}

/// A copy on its way. Confined to one thread; blocks. Its file is deleted with it where it was not published.
final class StagedCopy {
    /// Some milliseconds' worth, so that whoever wants to stop it need not wait.
    private static let pagesAStep: Int32 = 1_024

    /// The file beside the target.
    let file: StoreFile
    private let target: StoreFile
    private var isPublished = false

    /// Makes the empty file `name`, which must lie in the target's folder and not be there yet.
    init(_ name: String, for target: StoreFile) throws(StoreError) {
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            let number = errno
            if number == ENOSPC || number == EDQUOT { throw .full }
            throw .readOnly("\(name) cannot be made by user \(geteuid()): \(StoreError.systemText(number)).")
        }
        close(descriptor)
        self.target = target
        file = try StoreFile(name)
        file.settleOwnership(of: file.path)
    }

    deinit {
        guard !isPublished else { return }
        for path in [file.path, file.journal, file.log, file.sharedMemory] { unsafe unlink(path) }
    }

    /// Copies everything that is committed now, makes it a file that needs no log, checks all of it, and puts it on the disk.
    /// `goesOn` as in `Connection.copyPages`.
    func fill(from source: Connection, _ goesOn: (Int, Int) -> Bool) throws(StoreError) -> StoreCopy {
        // One snapshot, whatever is written meanwhile: a copy without it starts over with every commit of another process.
        try source.execute(SQL.beginRead)
        defer { try? source.execute(SQL.rollback) }
        _ = try source.number(SQL.countTables)
        let copy = try Connection(file.path, .write)
        try copy.execute(SQL.tuneCopy)
        try source.copyPages(to: copy, step: Self.pagesAStep, goesOn)
        do throws(StoreError) {
            // The first page came with the mark of a file that has a log.
            guard try copy.texts(SQL.leaveWriteAheadLog) == ["delete"] else {
                throw .failed("\(file.path) cannot be taken out of the log's mode.")
            }
            if let problem = try copy.problems().first { throw .unusable(problem) }
            let links = try copy.number(SQL.countLinks)
            return StoreCopy(path: target.path, links: links, bytes: StoreFile.size(of: file.path) ?? 0)
        } catch .unusable(let problem) {
            // The copy is what its source was, and nobody knows its name: what SQLite says of the copy adds nothing.
            let detail = problem.contains(file.path) ? "" : " (\(problem))"
            throw .unusable("\(source.file) is damaged; no copy of it was kept. Use an earlier backup.\(detail)")
        }
    }

    /// Makes it look last changed at a time, in seconds since 1970. After `fill`, before `sync`.
    func setTime(_ seconds: Int64) throws(StoreError) {
        guard unsafe linux_date_file(file.path, seconds) == 0 else {
            throw .failed("\(file.path) cannot be dated: \(StoreError.systemText(errno)).")
        }
    }

    /// Puts the file on the disk. After `fill`, when no connection has it open any more.
    func sync() throws(StoreError) {
        let descriptor = unsafe open(file.path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .failed("\(file.path) cannot be opened: \(StoreError.systemText(errno)).")
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            let number = errno
            if number == ENOSPC || number == EDQUOT { throw .full }
            throw .failed("\(file.path) cannot be put on the disk: \(StoreError.systemText(number)).")
        }
    }

    /// Gives the file its name, in one step and lastingly, in place of what had it.
    func publish() throws(StoreError) {
        guard unsafe rename(file.path, target.path) == 0 else {
            throw .failed("\(file.path) cannot be renamed to \(target.path): \(StoreError.systemText(errno)).")
        }
        isPublished = true
        try target.syncFolder()
    }
}
