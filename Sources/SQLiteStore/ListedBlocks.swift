// Which blocks of 64 ids hold listed links (migration 0002): what a public listing is read by. Written with each listed link.
internal import Shortening

/// The blocks that a connection's transactions enter. Confined to the connection's thread or queue.
final class ListedBlocks {
    private let add: Statement
    /// The block entered last; most links follow one of the same. Entries are never removed, so it is there unless that transaction
    /// was undone.
    private var last: Int64?

    init(_ connection: Connection) throws(StoreError) { add = try connection.prepare(SQL.addListedBlock) }

    /// To be called where a transaction is undone, or before the next.
    func forget() { last = nil }

    /// Enters the block of a link that is listed.
    func enter(_ link: Int64) throws(StoreError) {
        let block = link / 64
        if block == last { return }
        try add.run { statement throws(StoreError) in
            try statement.bind(1, block)
            _ = try statement.step()
        }
        last = block
    }
}
