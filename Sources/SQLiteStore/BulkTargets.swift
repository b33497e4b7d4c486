// The entries of `target` (migration 0003) that a bulk insert makes, many with one statement, before the rows that they lead to.
internal import Shortening

/// As `Targets`, for links whose row numbers are known. Runs inside a transaction; confined to its connection's thread.
final class BulkTargets {
    private let connection: Connection
    private let many: Int
    private let addMany, addOne, takeBack: Statement

    /// `many` links are entered with one statement.
    init(_ connection: Connection, many: Int) throws(StoreError) {
        self.connection = connection
        self.many = many
        addMany = try connection.prepare(SQL.addTargets(many))
        addOne = try connection.prepare(SQL.addTargets(1))
        takeBack = try connection.prepare(SQL.takeTargetBack)
    }

    /// Enters a group of `many` live links with numbered slugs, the first of them with row `row` and the others behind it; false, with
    /// none entered, where a slug of them has an entry already.
    func enter(_ links: PackedLinks, _ group: Range<Int>, from row: Int64) throws(StoreError) -> Bool {
        try addMany.run { statement throws(StoreError) in
            for index in group {
                let link = PackedLink(at: links.bytes.span.extracting(links.starts[index]...))
                let place = index - group.lowerBound
                try bind(link, row + Int64(place), to: statement, place)
            }
            _ = try statement.step()
        }
        if connection.changes == many { return true }
        for index in group {
            let link = PackedLink(at: links.bytes.span.extracting(links.starts[index]...))
            if let number = link.slug.slugNumber { try takeBack(number, from: row) }
        }
        return false
    }

    /// Enters one link with row `row`; false where its slug has an entry already.
    func enter(_ link: borrowing PackedLink, row: Int64, isRemoved: Bool) throws(StoreError) -> Bool {
        try addOne.run { statement throws(StoreError) in
            try bind(link, row, to: statement, 0)
            if isRemoved { try statement.bind(3, nil as Int64?) }
            _ = try statement.step()
        }
        return connection.changes == 1
    }

    /// Removes the entry of a number if it leads to `row` or behind it.
    func takeBack(_ number: Int64, from row: Int64) throws(StoreError) {
        try takeBack.run { statement throws(StoreError) in
            try statement.bind(1, number)
            try statement.bind(2, row)
            _ = try statement.step()
        }
    }

    private func bind(_ link: borrowing PackedLink, _ row: Int64, to statement: Statement, _ index: Int) throws(StoreError)
    {
        let place = Int32(index * 3)
        try statement.bind(place + 1, link.slug.slugNumber)
        try statement.bind(place + 2, row)
        // The packed links stay as they are until the statement has run.
        try unsafe statement.bind(place + 3, unmoved: link.longURL)
    }
}
