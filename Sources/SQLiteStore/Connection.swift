// One connection to SQLite. The only file that opens and closes `sqlite3 *`; it knows no table.
internal import CPageCache
internal import CSQLite
internal import Glibc
internal import Shortening

/// An open database. Confined to one thread or queue at a time: it is opened without SQLite's own mutexes. Statements keep
/// it alive, so it closes after the last of them is gone.
@safe final class Connection {
    enum Access {
        /// Reads only; makes no file.
        case read
        /// Reads a file that nobody is writing, without locks and without its log; leaves no trace beside it.
        case readImmutable
        /// Writes an existing file.
        case write
        /// Writes, making the file where there is none.
        case create
    }

    /// The name for messages.
    let file: String
    private let handle: OpaquePointer
    /// What SQLite's call after each commit writes to; it lives as long as the connection.
    private let logLength: UnsafeMutablePointer<Int32>
    /// Done once, before the first connection.
    private static let libraryIsReady: Void = {
        csqlite_count_no_memory()
        page_cache_install()
    }()

    /// Opens the file. SQLite reads nothing of it before the first statement.
    init(_ file: String, _ access: Access) throws(StoreError) {
        Self.libraryIsReady
        let flags: Int32 =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .readImmutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .write: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let name = access == .readImmutable ? Self.immutableURI(file) : file
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let connection = unsafe opened else {
            // A handle comes back even from a failed open and has to be closed; errno is asked for first.
            let systemError = unsafe opened.map { unsafe sqlite3_system_errno($0) } ?? 0
            unsafe sqlite3_close_v2(opened)
            let message = unsafe String(cString: sqlite3_errstr(code))
            throw StoreError(code: code, systemError: systemError, message: message, file: file)
        }
        unsafe handle = connection
        self.file = file
        unsafe logLength = .allocate(capacity: 1)
        unsafe logLength.initialize(to: 0)
        // In the place of SQLite's own answer to a long log (LogWork).
        unsafe sqlite3_wal_hook(
            handle,
            { length, _, _, pages in
                unsafe length?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logLength)
    }

    deinit {
        // With the last statement gone, which keeps this, nothing is left to be called.
        unsafe sqlite3_close_v2(handle)
        unsafe logLength.deallocate()
    }

    /// Compiles one statement, to be kept and run many times.
    func prepare(_ sql: String) throws(StoreError) -> Statement {
        var statement: OpaquePointer?
        try check(unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement = unsafe statement else { throw .failed("\(file): an empty statement") }
        return unsafe Statement(statement, of: self)
    }

    /// Runs any number of statements, without parameters or results.
    func execute(_ sql: String) throws(StoreError) {
        try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// The first column of a statement's first row as a number; 0 where there is no row.
    func number(_ sql: String) throws(StoreError) -> Int64 {
        try prepare(sql).run { statement throws(StoreError) in try statement.step() ? statement.integer(0) : 0 }
    }

    /// The first column of all rows as texts.
    func texts(_ sql: String) throws(StoreError) -> [String] {
        try prepare(sql).run { statement throws(StoreError) in
            var texts: [String] = []
            while try statement.step() { texts.append(statement.text(0)) }
            return texts
        }
    }

    /// The database file itself, without what is still in its log: how long it is, and how many pages its first one says that it
    /// has (https://www.sqlite.org/fileformat.html, 1.3.8). After a statement has read.
    func fileLength() throws(StoreError) -> (bytes: Int64, pages: UInt32) {
        var bytes: Int64 = 0
        var header: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
        var file: UnsafeMutablePointer<sqlite3_file>?
        // SQLite's own descriptor: to open the file another way and close it again would drop SQLite's locks. The file is there as
        // long as the connection is, and its methods fill in four bytes and a number.
        try check(unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods, let read = unsafe methods.pointee.xRead,
            let size = unsafe methods.pointee.xFileSize
        else { throw .failed("\(self.file) cannot be looked at.") }
        // A read beyond the end fills in zeros and says so (SQLITE_IOERR_SHORT_READ, a macro that Swift does not see).
        let code = unsafe read(file, &header, 4, 28)
        if code != SQLITE_IOERR | 2 << 8 { try check(code) }
        try check(unsafe size(file, &bytes))
        let pages = UInt32(header.0) << 24 | UInt32(header.1) << 16 | UInt32(header.2) << 8 | UInt32(header.3)
        return (bytes, pages)
    }

    /// The index of the write-ahead log that all processes share, as it is mapped in memory until this connection closes, at least 136
    /// bytes (https://www.sqlite.org/walformat.html, 2). After a statement has read a database that has a log.
    func sharedLogIndex() throws(StoreError) -> UnsafeRawPointer {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var index: UnsafeMutableRawPointer?
        // As in `fileLength`. The part that is asked for, of 32 KiB, is mapped already.
        try check(unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods, unsafe methods.pointee.iVersion >= 2,
            let map = unsafe methods.pointee.xShmMap
        else { throw .failed("\(self.file) has no log.") }
        try check(unsafe map(file, 0, 32_768, 0, &index))
        guard let index = unsafe index else { throw .failed("\(self.file) has no log.") }
        return UnsafeRawPointer(index)
    }

    /// For connections that only read: they meet a lock while another process's crash is being cleaned up, which is quick.
    static let readerLockWait: Int32 = 2000

    /// How long a statement waits for another connection's lock before it ends in `busy`; 0 means not at all.
    func setLockWait(milliseconds: Int32) { unsafe sqlite3_busy_timeout(handle, milliseconds) }

    /// Runs `body` so that its statements read nothing from a disk and wait for no lock of the file: what would, throws. For moments they
    /// may still wait: for SQLite's own mutexes, or while another process writes the log's header. Nil, without running it, where
    /// the file system cannot tell what is in memory.
    func withoutWaiting<Result>(_ body: () -> Result) -> Result? {
        guard page_cache_only_begin() else { return nil }
        setLockWait(milliseconds: 0)
        defer {
            page_cache_only_end()
            setLockWait(milliseconds: Self.readerLockWait)
        }
        return body()
    }

    /// Runs a COMMIT with the pages that it adds to the log in one write instead of two for each.
    func commit(_ statement: Statement) throws(StoreError) {
        page_cache_commit_begin()
        do throws(StoreError) {
            try statement.run()
        } catch {
            _ = page_cache_commit_end(false)
            throw error
        }
        if !page_cache_commit_end(true) { throw .failed("\(file): a commit cannot be put on the disk") }
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    var changes: Int { Int(unsafe sqlite3_changes(handle)) }

    /// The row number of the last row inserted.
    var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Pages in the write-ahead log, worked off or not, after the last commit of this connection.
    var logPages: Int { unsafe Int(logLength.pointee) }

    /// Whether a transaction is open. Some errors end it by themselves (https://www.sqlite.org/lang_transaction.html, 3.1).
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Whether SQLite fell back to reading only because the file cannot be written.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Makes another, empty database the same as this one, page by page (https://www.sqlite.org/backup.html). `goesOn` hears the
    /// pages that are done and all pages after every `step` of them; where it says no, the copy ends in `closed`. Consistent
    /// under others' writes only inside a read transaction of this connection.
    func copyPages(to other: Connection, step: Int32, _ goesOn: (Int, Int) -> Bool) throws(StoreError) {
        guard let copy = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
            try other.check(unsafe sqlite3_errcode(other.handle))
            throw .failed("\(file) cannot be copied.")
        }
        var (code, isWanted) = (SQLITE_OK, true)
        while code == SQLITE_OK, isWanted {
            code = unsafe sqlite3_backup_step(copy, step)
            let total = Int(unsafe sqlite3_backup_pagecount(copy))
            isWanted = goesOn(total - Int(unsafe sqlite3_backup_remaining(copy)), total)
        }
        // Frees it, and leaves what went wrong with the other connection.
        let end = unsafe sqlite3_backup_finish(copy)
        if code == SQLITE_BUSY || code == SQLITE_LOCKED { throw .busy }
        try other.check(end)
        if code != SQLITE_DONE { throw .closed }
    }

    /// Throws what a result code means, if it is not success.
    func check(_ code: Int32) throws(StoreError) {
        guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
        let last = errno
        let kept = unsafe sqlite3_system_errno(handle)
        throw StoreError(
            code: code, systemError: kept == 0 && Self.isSystems(code) ? last : kept,
            message: unsafe String(cString: sqlite3_errmsg(handle)), file: file)
    }

    /// Whether a result code says that a read, write, sync or truncate was refused by the system. Of those in a commit SQLite keeps
    /// no errno; but the call that failed is its last, or nearly so, and none after it fails.
    private static func isSystems(_ code: Int32) -> Bool {
        guard code & 0xff == SQLITE_IOERR else { return false }
        // SQLITE_IOERR_READ, _WRITE, _FSYNC, _DIR_FSYNC, _TRUNCATE and _SHMSIZE, macros that Swift does not see.
        return switch code >> 8 {
        case 1, 3...6, 19: true
        default: false
        }
    }

    /// https://www.sqlite.org/uri.html: everything but unreserved characters and slashes is escaped.
    private static func immutableURI(_ file: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var uri = Array("file:".utf8)
        for byte in file.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                uri.append(byte)
            default: uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: uri + Array("?immutable=1".utf8), as: UTF8.self)
    }
}
