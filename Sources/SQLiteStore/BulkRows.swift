// The rows of `link` that a bulk insert writes, many with one statement, and what becomes of those that met another row.
internal import Shortening

/// Writes packed links. Runs inside a transaction; confined to its connection's thread.
final class BulkRows {
    /// Links of one statement. A statement costs about as much as three rows, so more would gain little.
    private static let many = 64

    private let connection: Connection
    private let details: BulkDetails
    private let targets: BulkTargets
    private let listed: ListedBlocks
    private let addMany, addOne, findSlug, freeSlug, nextLink, addClicks: Statement
    /// The id that SQLite gives the next row: one more than the largest, since nobody else writes meanwhile and ids are far from
    /// their end (https://www.sqlite.org/autoinc.html, 2). To choose it here would cost each row a search.
    private var next: Int64 = 0
    /// The first id of this bulk.
    private var first: Int64?

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        details = try BulkDetails(connection)
        targets = try BulkTargets(connection, many: Self.many)
        listed = try ListedBlocks(connection)
        addMany = try connection.prepare(SQL.addLinks(Self.many))
        addOne = try connection.prepare(SQL.addLinks(1))
        findSlug = try connection.prepare(SQL.findSlug)
        freeSlug = try connection.prepare(SQL.freeSlug)
        nextLink = try connection.prepare(SQL.nextLink)
        addClicks = try connection.prepare(SQL.addClicks)
    }

    /// To be called first in every transaction: others may have added rows since the last one.
    func start() throws(StoreError) {
        next = try nextLink.run { statement throws(StoreError) in
            _ = try statement.step()
            return statement.integer(0)
        }
        if first == nil { first = next }
        listed.forget()
    }

    /// To be called last in every transaction.
    func finish() { details.finish() }

    func add(
        _ links: PackedLinks, to counts: inout BulkCounts, refuse: (Int, String, BulkOutcome) -> Void
    ) throws(StoreError) {
        var index = 0
        while index < links.count {
            let end = index + Self.many
            if end <= links.count, Self.arePlain(links, index..<end) {
                try addMany(links, index..<end, &counts, refuse)
                index = end
            } else {
                try addOne(links, index, &counts, refuse)
                index += 1
            }
        }
    }

    func outcomes(of links: PackedLinks) throws(StoreError) -> [BulkOutcome] {
        var outcomes: [BulkOutcome] = []
        outcomes.reserveCapacity(links.count)
        for start in links.starts {
            let link = PackedLink(at: links.bytes.span.extracting(start...))
            guard !link.isCollection, let other = try other(for: link) else {
                outcomes.append(.added)
                continue
            }
            outcomes.append(outcome(of: link, meeting: other) ?? .added)
        }
        return outcomes
    }

    /// Whether no link of a group has details, and either all or none of them are found by the slug's number.
    private static func arePlain(_ links: PackedLinks, _ group: Range<Int>) -> Bool {
        let areNumbered = isNumbered(links, group.lowerBound)
        for index in group {
            let link = PackedLink(at: links.bytes.span.extracting(links.starts[index]...))
            if link.hasDetails || link.isCollection || isNumbered(links, index) != areNumbered { return false }
        }
        return true
    }

    private static func isNumbered(_ links: PackedLinks, _ index: Int) -> Bool {
        PackedLink(at: links.bytes.span.extracting(links.starts[index]...)).slug.slugNumber != nil
    }

    // MARK: Many

    private func addMany(
        _ links: PackedLinks, _ group: Range<Int>, _ counts: inout BulkCounts, _ refuse: (Int, String, BulkOutcome) -> Void
    ) throws(StoreError) {
        let areNumbered = Self.isNumbered(links, group.lowerBound)
        if areNumbered, try !targets.enter(links, group, from: next) {
            for index in group { try addOne(links, index, &counts, refuse) }
            return
        }
        try addMany.run { statement throws(StoreError) in
            for index in group {
                let link = PackedLink(at: links.bytes.span.extracting(links.starts[index]...))
                try bind(link, to: statement, row: index - group.lowerBound)
            }
            _ = try statement.step()
        }
        let added = connection.changes
        guard added == group.count || !areNumbered else { throw .failed("\(connection.file): links cannot be stored") }
        counts.added += added
        // Those that were added have ascending ids, in the order of their rows.
        var id = next
        next += Int64(added)
        for index in group {
            let link = PackedLink(at: links.bytes.span.extracting(links.starts[index]...))
            let found = added == group.count ? nil : try other(for: link)
            if added == group.count || found?.id == id {
                try enter(link, id)
                id += 1
            } else {
                try settle(link, meeting: found, &counts, refuse)
            }
        }
    }

    // MARK: One

    private func addOne(
        _ links: PackedLinks, _ index: Int, _ counts: inout BulkCounts, _ refuse: (Int, String, BulkOutcome) -> Void
    ) throws(StoreError) {
        let link = PackedLink(at: links.bytes.span.extracting(links.starts[index]...))
        if let collection = link.collection { return try details.add(collection) }
        if try insert(link) {
            counts.added += 1
        } else {
            try settle(link, meeting: other(for: link), &counts, refuse)
        }
    }

    /// For a link that met another row: adds it nevertheless where that is a tombstone, else says what it is.
    private func settle(
        _ link: borrowing PackedLink, meeting other: Other?, _ counts: inout BulkCounts,
        _ refuse: (Int, String, BulkOutcome) -> Void
    ) throws(StoreError) {
        if let other {
            switch outcome(of: link, meeting: other) {
            case .alreadyThere?: return counts.alreadyThere += 1
            case let outcome?: return refuse(link.row, link.slug.text, outcome)
            case nil:
                // As for a single add: the removed row stays under its id, without a slug.
                try freeSlug.run { statement throws(StoreError) in
                    try statement.bind(Slug(stored: link.slug.text))
                    _ = try statement.step()
                }
            }
        }
        // Where it still does not fit, it is its owner's second short URL for one long URL, which only the first can be.
        if try !insert(link), try !insert(link, isSqueezed: false) {
            throw .failed("\(connection.file): a link cannot be stored (row \(link.row))")
        }
        counts.added += 1
    }

    /// Adds one link with all that belongs to it; false where another row is in its way.
    private func insert(_ link: borrowing PackedLink, isSqueezed: Bool = true) throws(StoreError) -> Bool {
        let rare = link.details
        let number = link.slug.slugNumber
        if number != nil, try !targets.enter(link, row: next, isRemoved: rare.removed != nil) { return false }
        let owner = try rare.owner.map { name throws(StoreError) in try details.account(name) }
        try addOne.run { statement throws(StoreError) in
            try bind(link, to: statement, row: 0)
            try statement.bind(5, rare.expires)
            try statement.bind(6, owner)
            try statement.bind(7, link.isListed && rare.removed == nil ? 1 : 0)
            try statement.bind(8, rare.removed)
            try statement.bind(9, rare.isSqueezed && isSqueezed ? 1 : nil)
            _ = try statement.step()
        }
        guard connection.changes == 1 else {
            if let number { try targets.takeBack(number, from: next) }
            return false
        }
        let id = next
        next += 1
        try enter(link, id)
        if link.hasDetails { try details.add(rare, of: id, row: link.row) }
        return true
    }

    /// Stores what stands of a link outside its row.
    private func enter(_ link: borrowing PackedLink, _ id: Int64) throws(StoreError) {
        if link.isListed { try listed.enter(id) }
        guard link.clicks > 0 else { return }
        let clicks = link.clicks
        try addClicks.run { statement throws(StoreError) in
            try statement.bind(1, id)
            try statement.bind(2, clicks)
            _ = try statement.step()
        }
    }

    /// Binds what every link has. The other columns of these statements are NULL unless they are bound.
    private func bind(_ link: borrowing PackedLink, to statement: Statement, row: Int) throws(StoreError) {
        let place = Int32(row * SQL.bulkColumnCount)
        // The packed links stay as they are until the statement has run, so SQLite need not copy their texts.
        try unsafe statement.bind(place + 1, unmoved: link.slug)
        try unsafe statement.bind(place + 2, unmoved: link.longURL)
        if link.hasTitle {
            try unsafe statement.bind(place + 3, unmoved: link.title)
        } else {
            try statement.bind(place + 3, nil as Int64?)
        }
        try statement.bind(place + 4, link.created)
        try statement.bind(place + 7, link.isListed ? 1 : 0)
    }

    // MARK: Meetings

    /// The row that has a slug already.
    private struct Other {
        let id: Int64
        let hasSameURL: Bool
        let isRemoved: Bool
    }

    private func other(for link: borrowing PackedLink) throws(StoreError) -> Other? {
        let (slug, longURL) = (Slug(stored: link.slug.text), link.longURL.text)
        return try findSlug.run { statement throws(StoreError) in
            try statement.bind(slug)
            guard try statement.step() else { return nil }
            return Other(
                id: statement.integer(0), hasSameURL: statement.text(1) == longURL, isRemoved: !statement.isNull(2))
        }
    }

    /// nil where the link takes the place of a removed one.
    private func outcome(of link: borrowing PackedLink, meeting other: Other) -> BulkOutcome? {
        let isOld = other.id < first ?? Int64.max
        if link.details.removed != nil { return isOld ? .alreadyThere : .repeated }
        if other.isRemoved { return nil }
        if !other.hasSameURL { return .taken }
        return isOld ? .alreadyThere : .repeated
    }
}
