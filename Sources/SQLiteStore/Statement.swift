// One prepared statement. Values go in by their place from 1 and come out by their column from 0, as in SQLite.
internal import CSQLite
internal import Shortening

/// A statement that is compiled once and run many times. Confined to its connection's thread or queue.
@safe final class Statement {
    private let handle: OpaquePointer
    // Also keeps the connection open for as long as there is a statement of it.
    private let connection: Connection

    /// Takes over the handle.
    @unsafe init(_ handle: OpaquePointer, of connection: Connection) {
        unsafe self.handle = handle
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Runs `body` and resets the statement after it, whatever came of it, so that no read transaction stays open behind it.
    func run<Result>(_ body: (Statement) throws(StoreError) -> Result) throws(StoreError) -> Result {
        defer { unsafe sqlite3_reset(handle) }
        return try body(self)
    }

    /// Runs a statement that answers no rows.
    func run() throws(StoreError) {
        try run { statement throws(StoreError) in _ = try statement.step() }
    }

    /// Goes to the next row; false behind the last.
    func step() throws(StoreError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        try connection.check(code)
        return false
    }

    func bind(_ place: Int32, _ number: Int64?) throws(StoreError) {
        if let number {
            try connection.check(unsafe sqlite3_bind_int64(handle, place, number))
        } else {
            try connection.check(unsafe sqlite3_bind_null(handle, place))
        }
    }

    func bind(_ place: Int32, _ text: String?) throws(StoreError) {
        guard var text else { return try connection.check(unsafe sqlite3_bind_null(handle, place)) }
        // SQLite copies the bytes before the call returns (`transient`).
        let code = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe sqlite3_bind_text(handle, place, characters.baseAddress, Int32(characters.count), Self.transient)
            }
        }
        try connection.check(code)
    }

    /// Binds a slug for `SQL.linkOfSlug`.
    func bind(_ slug: Slug) throws(StoreError) {
        let number = slug.number
        try bind(1, number)
        try bind(2, number == nil ? slug.text : nil)
    }

    /// Binds a blob of at least one byte.
    func bind(_ place: Int32, _ bytes: [UInt8]) throws(StoreError) {
        let code = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe sqlite3_bind_blob64(handle, place, buffer.baseAddress, UInt64(buffer.count), Self.transient)
        }
        try connection.check(code)
    }

    /// Binds a text without a copy of it: its bytes have to stay where they are until the statement has run, and the place be
    /// bound anew before it runs again.
    @unsafe func bind(_ place: Int32, unmoved text: Span<UInt8>) throws(StoreError) {
        // An empty span may have no address, and no address means NULL.
        if text.isEmpty { return try bind(place, "") }
        let code = unsafe text.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                // No destructor is SQLITE_STATIC, a macro that Swift does not import.
                unsafe sqlite3_bind_text(handle, place, characters.baseAddress, Int32(characters.count), nil)
            }
        }
        try connection.check(code)
    }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Bytes that are not UTF-8 become U+FFFD; NULL becomes the empty text.
    func text(_ column: Int32) -> String {
        // The bytes live until the next step; the text call has to come before the one for their number.
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Hands out a text's bytes as they are; none for NULL.
    func withText<Result>(_ column: Int32, _ body: (Span<UInt8>) -> Result) -> Result {
        // The bytes live until the next step; the text call has to come before the one for their number.
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return body(Span()) }
        return unsafe body(Span(_unsafeStart: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import: the address -1 says that SQLite is to copy.
    private static var transient: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
