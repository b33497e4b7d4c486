// The links that their slugs' numbers lead to (migration 0003): what a redirect reads. Every new link with such a slug is entered
// before its row is written; what changes in it later comes here by the schema's triggers.
internal import Shortening

/// What keeps numbered slugs unique. Inside an open transaction; confined to its connection's thread or queue.
final class Targets {
    private let connection: Connection
    private let add, remove: Statement

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        add = try connection.prepare(SQL.addTarget)
        remove = try connection.prepare(SQL.removeTarget)
    }

    /// Enters the row that `link` gets next, live; false where a link has the slug, be it a removed one.
    func enter(_ number: Int64, _ longURL: LongURL) throws(StoreError) -> Bool {
        try add.run { statement throws(StoreError) in
            try statement.bind(1, number)
            try statement.bind(2, longURL.text)
            _ = try statement.step()
        }
        return connection.changes == 1
    }

    /// Takes an entry back whose row was not written.
    func takeBack(_ number: Int64) throws(StoreError) {
        try remove.run { statement throws(StoreError) in
            try statement.bind(1, number)
            _ = try statement.step()
        }
    }
}
