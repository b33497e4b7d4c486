// How long the write-ahead log must be. Somebody may cut it while it is in use: readers then find pages missing, but a writer goes on
// behind the gap, and all that it acknowledges is gone with the process.
internal import Shortening

/// The log's length by its shared index (https://www.sqlite.org/walformat.html, 2.1). Lives as long as its connection does.
@safe struct LogLength {
    private let connection: Connection
    private let index: UnsafeRawPointer

    /// On a connection that has read.
    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        unsafe index = try connection.sharedLogIndex()
    }

    /// Bytes that the log's file has at least, for all that is committed in it. Inside a write transaction: nobody else changes the
    /// index then.
    var needed: Int64 {
        let pages = unsafe index.load(fromByteOffset: 16, as: UInt32.self)
        let size = unsafe index.load(fromByteOffset: 14, as: UInt16.self)
        // 65,536 does not fit, and is written as 1.
        let pageSize: Int64 = size == 1 ? 65_536 : Int64(size)
        return pages == 0 ? 0 : 32 + Int64(pages) * (24 + pageSize)
    }
}
