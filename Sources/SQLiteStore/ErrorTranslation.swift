// From SQLite's result codes to the domain's errors: the one place where that happens. The codes are those of
// https://www.sqlite.org/rescode.html.
internal import Glibc
internal import CSQLite
internal import Shortening

extension StoreError {
    /// `code` may be an extended one; `systemError` is the errno behind it, or 0; `message` SQLite's own words.
    init(code: Int32, systemError: Int32, message: String, file: String) {
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_FULL: self = .full
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH:
            self = StoreError.disk(systemError: systemError, code: code, message: message, file: file)
        case SQLITE_CORRUPT:
            self = .unusable("\(file) is damaged (\(message)). Restore a backup, or an earlier one.")
        case SQLITE_NOTADB:
            self = .unusable("\(file) is not a database of Shorty, or is damaged. Name another file, or restore a backup.")
        default: self = .failed("\(file): \(message) (SQLite error \(code))")
        }
    }

    /// What the system refused. SQLite names only ENOSPC on a write SQLITE_FULL; a quota, a limit on file sizes and a full
    /// disk met while the shared memory grows come as input/output errors.
    private static func disk(systemError: Int32, code: Int32, message: String, file: String) -> StoreError {
        switch systemError {
        case ENOSPC, EDQUOT, EFBIG: return .full
        case EROFS, EACCES, EPERM:
            return .readOnly("\(file) or its folder cannot be written by user \(geteuid()): \(systemText(systemError)).")
        default: break
        }
        let reason = systemError == 0 ? message : "\(message): \(systemText(systemError))"
        let isRefused = [SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM].contains(code & 0xff)
        return isRefused
            ? .readOnly("\(file) or a file beside it cannot be opened for writing (\(reason)).")
            : .failed("\(file): \(reason) (SQLite error \(code))")
    }

    /// The system's words for an errno (strerror(3)).
    static func systemText(_ number: Int32) -> String {
        // strerror's result lives until this thread's next call; it is copied at once.
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    /// Whether the disk or the lock, not one operation, is at fault: then all operations of a transaction share it.
    var concernsWholeStore: Bool {
        if case .failed = self { return false }
        return true
    }
}
