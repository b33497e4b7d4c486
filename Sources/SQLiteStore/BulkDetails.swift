// What links of a bulk have in other tables: owners, tags, places in collections, events, descriptions. Names become row numbers
// here; what follows for revisions is the schema's triggers' business.
internal import Glibc
internal import Shortening

/// Writes the rarer half of packed links. Runs inside a transaction; confined to its connection's thread.
final class BulkDetails {
    /// Names whose numbers are remembered, of each kind. Beyond that all are forgotten and looked up again.
    private static let memory = 10_000

    private let connection: Connection
    private let addAccount, findAccount, addTag, findTag, tagLink, createCollection, findCollection: Statement
    private let lastPlace, placeLink, addEvent, setDescription: Statement
    // Numbers by name, known within a transaction: between two of them others may remove what has the name.
    private var accounts: [String: Int64] = [:]
    private var tags: [String: Int64] = [:]
    private var collections: [String: Int64] = [:]
    /// The last place of each collection before this bulk. Links that come without a place get one behind it, in the order
    /// of their rows.
    private var ends: [Int64: Int64] = [:]

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        addAccount = try connection.prepare(SQL.addAccount)
        findAccount = try connection.prepare(SQL.findAccount)
        addTag = try connection.prepare(SQL.addTag)
        findTag = try connection.prepare(SQL.findTag)
        tagLink = try connection.prepare(SQL.addTagToLink)
        createCollection = try connection.prepare(SQL.createCollection)
        findCollection = try connection.prepare(SQL.findCollection)
        lastPlace = try connection.prepare(SQL.lastPlace)
        placeLink = try connection.prepare(SQL.placeLink)
        addEvent = try connection.prepare(SQL.addEvent)
        setDescription = try connection.prepare(SQL.setDescription)
    }

    /// To be called last in every transaction.
    func finish() {
        accounts.removeAll()
        tags.removeAll()
        collections.removeAll()
    }

    /// The number of an account, made where there is none; nobody can sign in with it until it gets a password or a key.
    func account(_ name: String) throws(StoreError) -> Int64 {
        if let known = accounts[name] { return known }
        try addAccount.run { statement throws(StoreError) in
            try statement.bind(1, name)
            try statement.bind(2, Int64(time(nil)))
            _ = try statement.step()
        }
        return try number(findAccount, name, &accounts)
    }

    /// Makes a collection unless there is one of that name.
    func add(_ collection: CollectionRecord) throws(StoreError) {
        try createCollection.run { statement throws(StoreError) in
            try statement.bind(1, collection.name.text)
            try statement.bind(2, collection.isPublic ? 1 : 0)
            try statement.bind(3, collection.created)
            _ = try statement.step()
        }
    }

    /// Writes what belongs to a new link that came in `row`.
    func add(_ details: PackedDetails, of link: Int64, row: Int) throws(StoreError) {
        for tag in details.tags { try Self.run(tagLink, link, try number(of: tag)) }
        // After the tags: then the trigger of the place finds them, and none of theirs has to find the place.
        for membership in details.memberships {
            let collection = try number(of: membership.collection)
            var position = membership.position
            if position == nil { position = try end(of: collection) + Int64(row) }
            try place(link, at: position ?? 0, in: collection)
        }
        for event in details.events {
            try addEvent.run { statement throws(StoreError) in
                try statement.bind(1, link)
                try statement.bind(2, event.firstDay.text)
                try statement.bind(3, event.lastDay.text)
                try statement.bind(4, event.instructors)
                try statement.bind(5, event.location)
                _ = try statement.step()
            }
        }
        guard let description = details.description else { return }
        try setDescription.run { statement throws(StoreError) in
            try statement.bind(1, link)
            try statement.bind(2, description)
            _ = try statement.step()
        }
    }

    private func number(of tag: Tag) throws(StoreError) -> Int64 {
        if let known = tags[tag.text] { return known }
        try addTag.run { statement throws(StoreError) in
            try statement.bind(1, tag.text)
            _ = try statement.step()
        }
        return try number(findTag, tag.text, &tags)
    }

    /// A collection by its name, private where it has to be made: publishing is its owner's decision.
    private func number(of collection: CollectionName) throws(StoreError) -> Int64 {
        if let known = collections[collection.text] { return known }
        try add(CollectionRecord(name: collection, isPublic: false, created: Int64(time(nil))))
        return try number(findCollection, collection.text, &collections)
    }

    private func end(of collection: Int64) throws(StoreError) -> Int64 {
        if let known = ends[collection] { return known }
        let end = try place(last: collection)
        Self.remember(end, as: collection, in: &ends)
        return end
    }

    /// Puts a link at a place, or at the collection's end where another link has the place.
    private func place(_ link: Int64, at position: Int64, in collection: Int64) throws(StoreError) {
        try Self.run(placeLink, collection, position, link)
        // Changes nothing the second time either where the link is in the collection already: one that names it twice is.
        if connection.changes == 0 { try Self.run(placeLink, collection, try place(last: collection) + 1, link) }
    }

    private func place(last collection: Int64) throws(StoreError) -> Int64 {
        try lastPlace.run { statement throws(StoreError) in
            try statement.bind(1, collection)
            return try statement.step() ? statement.integer(0) : 0
        }
    }

    private static func run(_ statement: Statement, _ numbers: Int64...) throws(StoreError) {
        try statement.run { statement throws(StoreError) in
            for (index, number) in numbers.enumerated() { try statement.bind(Int32(index + 1), number) }
            _ = try statement.step()
        }
    }

    private func number(
        _ find: Statement, _ name: String, _ known: inout [String: Int64]
    ) throws(StoreError) -> Int64 {
        let number = try find.run { statement throws(StoreError) in
            try statement.bind(1, name)
            return try statement.step() ? statement.integer(0) : 0
        }
        Self.remember(number, as: name, in: &known)
        return number
    }

    private static func remember<Name>(_ value: Int64, as name: Name, in known: inout [Name: Int64]) {
        if known.count >= memory { known.removeAll() }
        known[name] = value
    }
}
