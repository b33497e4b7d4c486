// Which files may be replaced by a backup or an export. Opens them: not for a database that this process has open.
internal import CLinux
internal import Glibc
package import Shortening

extension SQLiteStore {
    /// Throws `unusable` where an export under this name would replace a database, whosever it is, or what lies beside the store. To be
    /// called before the store is opened.
    package static func checkExportPlace(_ name: String, of database: String) throws(StoreError) {
        let (target, store) = (try StoreFile(name), try StoreFile(database))
        if store.owns(target) {
            throw .unusable("\(target.path) belongs to the store itself. Name another file for the export.")
        }
        if StoreFile.header(of: target.path)?.starts(with: StoreFile.databaseMark) == true {
            throw .unusable("\(target.path) is a database; it was left as it is. Name another file for the export.")
        }
    }
}

extension StoreFile {
    /// Throws where a backup under this name would replace something other than a backup.
    func checkBackupPlace(for store: StoreFile) throws(StoreError) {
        if store.owns(self) {
            throw .unusable("\(path) belongs to the store itself. Name another file for the backup.")
        }
        guard Self.size(of: path) != nil else { return }
        for neighbour in [log, lock] where Self.size(of: neighbour) != nil {
            throw .unusable(
                "\(path) has \(neighbour) beside it, so it is a store and no backup; it was left as it is. Name another file."
            )
        }
        guard let header = Self.header(of: path), header.starts(with: Self.databaseMark),
            header[68..<72].reduce(0, { $0 << 8 | UInt32($1) }) == UInt32(Inspection.applicationID)
        else { throw .unusable("\(path) is no backup of Shorty; it was left as it is. Name another file.") }
    }

    /// Whether both names lead to one file.
    func isSame(as other: StoreFile) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard unsafe stat(path, &mine) == 0, unsafe stat(other.path, &theirs) == 0 else { return false }
        return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }

    /// Whether a file is one of this store's.
    fileprivate func owns(_ other: StoreFile) -> Bool {
        [path, log, sharedMemory, journal, lock, restoring, unfinishedRestoring].contains(other.path) || isSame(as: other)
    }

    /// With what a database begins (https://www.sqlite.org/fileformat2.html, 1.3).
    fileprivate static let databaseMark = Array("SQLite format 3\0".utf8)

    /// The first 100 bytes of a regular file that has as many and can be read.
    fileprivate static func header(of path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var header = [UInt8](repeating: 0, count: 100)
        let count = unsafe header.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return count == 100 ? header : nil
    }
}
