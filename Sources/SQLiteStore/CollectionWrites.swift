// The changes of collections, tags and events, one function each, inside an open transaction of the writer. Revisions and the
// lists that are drawn from follow by the schema's triggers.
internal import Glibc
internal import Shortening

/// Prepared statements with a function each. Confined to the writer's queue.
final class CollectionWrites {
    private let connection: Connection
    private let findCollection, createCollection, removeCollection, addMember, removeMember, removeFirstMembers,
        findLiveRow,
        tags, addTag, tagLink, untagLink, setDescription, removeDescription, addEvent: Statement

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        findCollection = try connection.prepare(SQL.findCollection)
        createCollection = try connection.prepare(SQL.createCollection)
        removeCollection = try connection.prepare(SQL.removeCollection)
        addMember = try connection.prepare(SQL.addMember)
        removeMember = try connection.prepare(SQL.removeMember)
        removeFirstMembers = try connection.prepare(SQL.removeFirstMembers)
        findLiveRow = try connection.prepare(SQL.findLiveRow)
        tags = try connection.prepare(SQL.tags)
        addTag = try connection.prepare(SQL.addTag)
        tagLink = try connection.prepare(SQL.tagLink)
        untagLink = try connection.prepare(SQL.untagLink)
        setDescription = try connection.prepare(SQL.setDescription)
        removeDescription = try connection.prepare(SQL.removeDescription)
        addEvent = try connection.prepare(SQL.addEvent)
    }

    // MARK: Collections

    /// false where the name is taken.
    func create(_ name: CollectionName, isPublic: Bool) throws(StoreError) -> Bool {
        try createCollection.run { statement throws(StoreError) in
            try statement.bind(1, name.text)
            try statement.bind(2, isPublic ? 1 : 0)
            try statement.bind(3, Int64(time(nil)))
            _ = try statement.step()
        }
        return connection.changes == 1
    }

    /// How far a removal has come.
    enum Removal {
        case none
        /// Members are left.
        case begun
        case done
    }

    /// Removes a collection if it has at most `limit` members, else that many of them.
    func remove(_ name: CollectionName, limit: Int) throws(StoreError) -> Removal {
        guard let collection = try row(of: name) else { return .none }
        try removeFirstMembers.run { statement throws(StoreError) in
            try statement.bind(1, collection)
            try statement.bind(2, Int64(limit))
            _ = try statement.step()
        }
        guard connection.changes < limit else { return .begun }
        try removeCollection.run { statement throws(StoreError) in
            try statement.bind(1, collection)
            _ = try statement.step()
        }
        return .done
    }

    func add(_ slug: Slug, to name: CollectionName) throws(StoreError) -> MembershipOutcome {
        guard let collection = try row(of: name) else { return .noCollection }
        guard let link = try row(of: slug) else { return .noLink }
        try addMember.run { statement throws(StoreError) in
            try statement.bind(1, collection)
            try statement.bind(2, link)
            _ = try statement.step()
        }
        return connection.changes == 1 ? .added : .alreadyMember
    }

    /// false where it is no member.
    func remove(_ slug: Slug, from name: CollectionName) throws(StoreError) -> Bool {
        guard let collection = try row(of: name), let link = try row(of: slug) else { return false }
        try removeMember.run { statement throws(StoreError) in
            try statement.bind(1, link)
            try statement.bind(2, collection)
            _ = try statement.step()
        }
        return connection.changes == 1
    }

    // MARK: What links say of themselves

    /// false where there is no such link. What stays as it is is not touched, so that no revision moves for nothing.
    func setTags(_ wanted: [Tag], of slug: Slug) throws(StoreError) -> Bool {
        guard let link = try row(of: slug) else { return false }
        let standing = try tags.run { statement throws(StoreError) in
            try statement.bind(1, link)
            var names: Set<String> = []
            while try statement.step() { names.insert(statement.text(0)) }
            return names
        }
        let names = Set(wanted.map(\.text))
        for name in standing.subtracting(names) { try run(untagLink, link, name) }
        for name in names.subtracting(standing) {
            try addTag.run { statement throws(StoreError) in
                try statement.bind(1, name)
                _ = try statement.step()
            }
            try run(tagLink, link, name)
        }
        return true
    }

    /// false where there is no such link.
    func setDescription(_ text: String?, of slug: Slug) throws(StoreError) -> Bool {
        guard let link = try row(of: slug) else { return false }
        if let text { try run(setDescription, link, text) } else { try run(removeDescription, link, nil) }
        return true
    }

    /// false where there is no such link.
    func add(_ event: Event, to slug: Slug) throws(StoreError) -> Bool {
        guard let link = try row(of: slug) else { return false }
        try addEvent.run { statement throws(StoreError) in
            try statement.bind(1, link)
            try statement.bind(2, event.firstDay.text)
            try statement.bind(3, event.lastDay.text)
            try statement.bind(4, event.instructors)
            try statement.bind(5, event.location)
            _ = try statement.step()
        }
        return true
    }

    /// Runs a statement about a link and, where given, a text.
    private func run(_ statement: Statement, _ link: Int64, _ text: String?) throws(StoreError) {
        try statement.run { statement throws(StoreError) in
            try statement.bind(1, link)
            if let text { try statement.bind(2, text) }
            _ = try statement.step()
        }
    }

    private func row(of name: CollectionName) throws(StoreError) -> Int64? {
        try findCollection.run { statement throws(StoreError) in
            try statement.bind(1, name.text)
            return try statement.step() ? statement.integer(0) : nil
        }
    }

    /// The row of a live link.
    private func row(of slug: Slug) throws(StoreError) -> Int64? {
        try findLiveRow.run { statement throws(StoreError) in
            try statement.bind(slug)
            return try statement.step() ? statement.integer(0) : nil
        }
    }
}
