// Reading every link with all that belongs to it, page by page in the order of the slugs: those that have numbers first
// (`Slug.number`), then the longer ones. That order is the same in every store that holds the same links, whatever their row numbers
// are.
package import Shortening

/// Pages of whole links. Confined to one thread.
package final class RecordReader: RecordSource {
    /// Accounts whose names are remembered; beyond that all are forgotten and looked up again.
    private static let memory = 10_000

    private let session: ReadSession
    private let records, longRecords, accountName, tags, places, events, descriptions, collections: Statement
    private let hasTags, hasPlaces, hasEvents, hasDescriptions: Statement
    private var accounts: [Int64: String] = [:]

    init(_ file: String) throws(StoreError) {
        session = try ReadSession(file)
        let connection = session.connection
        records = try connection.prepare(SQL.records)
        longRecords = try connection.prepare(SQL.longRecords)
        accountName = try connection.prepare(SQL.accountName)
        tags = try connection.prepare(SQL.tags)
        places = try connection.prepare(SQL.placesOfLink)
        events = try connection.prepare(SQL.events)
        hasTags = try connection.prepare(SQL.hasTags)
        hasPlaces = try connection.prepare(SQL.hasPlaces)
        descriptions = try connection.prepare(SQL.descriptionOfLink)
        hasDescriptions = try connection.prepare(SQL.hasDescriptions)
        hasEvents = try connection.prepare(SQL.hasEvents)
        collections = try connection.prepare(SQL.collectionRecords)
    }

    package func records(after slug: String, limit: Int) throws(StoreError) -> [LinkRecord] {
        try session.snapshot { () throws(StoreError) in
            var (ids, links) = try rows(after: Slug(stored: slug), limit: min(max(limit, 1), 1000))
            // Visits are looked up in the order of the row numbers.
            let order = ids.indices.sorted { ids[$0] < ids[$1] }
            let visits = try session.visits(of: order.map { ids[$0] })
            for (place, index) in order.enumerated() { links[index].clicks = visits[place] }
            // Most stores have none of these, so a page asks once instead of a thousand times.
            if try isTrue(hasTags) { try read(tags, ids, &links) { $0.tags.append(Tag(stored: $1.text(0))) } }
            if try isTrue(hasPlaces) {
                try read(places, ids, &links) {
                    $0.memberships.append(
                        LinkRecord.Membership(collection: CollectionName(stored: $1.text(0)), position: $1.integer(1)))
                }
            }
            if try isTrue(hasEvents) {
                try read(events, ids, &links) {
                    // A day that is none can only have been written by somebody else; such a row is nothing to hand on.
                    guard let first = Day($1.text(0)), let last = Day($1.text(1)) else { return }
                    $0.events.append(Event(stored: first, last, instructors: $1.text(2), location: $1.text(3)))
                }
            }
            if try isTrue(hasDescriptions) { try read(descriptions, ids, &links) { $0.description = $1.text(0) } }
            return links
        }
    }

    package func collections(after name: String, limit: Int) throws(StoreError) -> [CollectionRecord] {
        try collections.run { statement throws(StoreError) in
            try statement.bind(1, name)
            try statement.bind(2, Int64(min(max(limit, 1), 1000)))
            var found: [CollectionRecord] = []
            while try statement.step() {
                found.append(
                    CollectionRecord(
                        name: CollectionName(stored: statement.text(0)), isPublic: statement.integer(1) == 1,
                        created: statement.integer(2)))
            }
            return found
        }
    }

    private func rows(after slug: Slug, limit: Int) throws(StoreError) -> (ids: [Int64], links: [LinkRecord]) {
        var (ids, links): ([Int64], [LinkRecord]) = ([], [])
        if let number = slug.number {
            try records.run { statement throws(StoreError) in
                try statement.bind(1, number)
                try read(statement, limit: limit, into: &ids, &links)
            }
        }
        guard ids.count < limit else { return (ids, links) }
        try longRecords.run { statement throws(StoreError) in
            // Behind all that have numbers the longer ones begin.
            try statement.bind(1, slug.number == nil ? slug.text : "")
            try read(statement, limit: limit - ids.count, into: &ids, &links)
        }
        return (ids, links)
    }

    private func read(
        _ statement: Statement, limit: Int, into ids: inout [Int64], _ links: inout [LinkRecord]
    ) throws(StoreError) {
        try statement.bind(2, Int64(limit))
        while try statement.step() {
            ids.append(statement.integer(0))
            var link = LinkRecord(
                slug: Slug(stored: statement.text(1)), longURL: LongURL(stored: statement.text(2)),
                created: statement.integer(4))
            link.title = statement.optionalText(3)
            link.expires = statement.optionalInteger(5)
            link.owner = try statement.optionalInteger(6).map { id throws(StoreError) in try account(id) }
            link.isListed = statement.integer(7) == 1
            link.removed = statement.optionalInteger(8)
            link.isSqueezed = statement.integer(9) == 1
            links.append(link)
        }
    }

    private func account(_ id: Int64) throws(StoreError) -> String {
        if let known = accounts[id] { return known }
        if accounts.count >= Self.memory { accounts.removeAll() }
        let name = try accountName.run { statement throws(StoreError) in
            try statement.bind(1, id)
            return try statement.step() ? statement.text(0) : ""
        }
        accounts[id] = name
        return name
    }

    private func isTrue(_ question: Statement) throws(StoreError) -> Bool {
        try question.run { statement throws(StoreError) in try statement.step() && statement.integer(0) == 1 }
    }

    /// Runs a statement for each link and hands its rows on.
    private func read(
        _ statement: Statement, _ ids: [Int64], _ links: inout [LinkRecord],
        _ take: (inout LinkRecord, Statement) -> Void
    ) throws(StoreError) {
        for (index, id) in ids.enumerated() {
            try statement.run { statement throws(StoreError) in
                try statement.bind(1, id)
                while try statement.step() { take(&links[index], statement) }
            }
        }
    }
}
