// The questions about collections, tags and events that a reading connection answers. Transactions are its session's business.
internal import Shortening

/// Prepared statements with a function each. Confined to its connection's queue.
final class CollectionReads {
    private let findCollection, collections, members, findTag, lastOrdinal, memberByOrdinal, portrait, tags,
        events: Statement

    init(_ connection: Connection) throws(StoreError) {
        findCollection = try connection.prepare(SQL.findCollection)
        collections = try connection.prepare(SQL.collections)
        members = try connection.prepare(SQL.members)
        findTag = try connection.prepare(SQL.findTag)
        lastOrdinal = try connection.prepare(SQL.lastOrdinal)
        memberByOrdinal = try connection.prepare(SQL.memberByOrdinal)
        portrait = try connection.prepare(SQL.portrait)
        tags = try connection.prepare(SQL.tags)
        events = try connection.prepare(SQL.events)
    }

    func collection(_ name: CollectionName) throws(StoreError) -> LinkCollection? {
        try findCollection.run { statement throws(StoreError) in
            try statement.bind(1, name.text)
            return try statement.step() ? Self.collection(statement) : nil
        }
    }

    func all() throws(StoreError) -> [(collection: LinkCollection, members: Int)] {
        try collections.run { statement throws(StoreError) in
            var all: [(collection: LinkCollection, members: Int)] = []
            while try statement.step() { all.append((Self.collection(statement), Int(statement.integer(4)))) }
            return all
        }
    }

    private static func collection(_ statement: Statement) -> LinkCollection {
        LinkCollection(
            id: LinkCollection.ID(rawValue: statement.integer(0)), name: CollectionName(stored: statement.text(1)),
            isPublic: statement.integer(2) == 1, revision: statement.integer(3))
    }

    // MARK: Members

    func members(
        of collection: LinkCollection.ID, _ filter: EventFilter, after: Int64, limit: Int
    ) throws(StoreError) -> MemberPage {
        try members.run { statement throws(StoreError) in
            try statement.bind(1, collection.rawValue)
            try statement.bind(2, after)
            try statement.bind(3, Int64(limit))
            var page: [Member] = []
            var (seen, last) = (0, after)
            while try statement.step() {
                seen += 1
                last = statement.integer(0)
                let link = LinkID(rawValue: statement.integer(4))
                let events = try events(of: link).filter(filter.passes)
                if !filter.isEmpty, events.isEmpty { continue }
                page.append(
                    Member(
                        position: last, slug: Slug(stored: statement.text(1)), longURL: LongURL(stored: statement.text(2)),
                        title: statement.optionalText(3), tags: try tags(of: link), events: events))
            }
            return MemberPage(members: page, next: seen == limit ? last : nil)
        }
    }

    private func tags(of link: LinkID) throws(StoreError) -> [Tag] {
        try tags.run { statement throws(StoreError) in
            try statement.bind(1, link.rawValue)
            var found: [Tag] = []
            while try statement.step() { found.append(Tag(stored: statement.text(0))) }
            return found
        }
    }

    private func events(of link: LinkID) throws(StoreError) -> [Event] {
        try events.run { statement throws(StoreError) in
            try statement.bind(1, link.rawValue)
            var found: [Event] = []
            while try statement.step() {
                // A day that is none can only have been written by somebody else; such a row is nothing to show.
                guard let first = Day(statement.text(0)), let last = Day(statement.text(1)) else { continue }
                found.append(
                    Event(stored: first, last, instructors: statement.text(2), location: statement.text(3)))
            }
            return found
        }
    }

    // MARK: Drawing

    /// The list that a wish is drawn from, and how long it is.
    private struct Urn {
        let collection: LinkCollection.ID
        let tag: Int64
        let last: Int64
    }

    /// One entry a wish.
    func draw(_ wishes: [DrawWish]) throws(StoreError) -> [DrawnLink?] {
        // Many ask at once for few colours, so each list is looked for once.
        var urns: [DrawWish: Urn?] = [:]
        var drawn: [DrawnLink?] = []
        drawn.reserveCapacity(wishes.count)
        for wish in wishes {
            if urns[wish] == nil { urns[wish] = .some(try urn(for: wish)) }
            if let urn = urns[wish] ?? nil { drawn.append(try draw(urn)) } else { drawn.append(nil) }
        }
        return drawn
    }

    private func urn(for wish: DrawWish) throws(StoreError) -> Urn? {
        guard let collection = try collection(wish.collection), collection.isPublic else { return nil }
        if let tag = wish.tag, let tag = try row(of: tag), let urn = try urn(collection.id, tag: tag) { return urn }
        return try urn(collection.id, tag: 0)
    }

    private func urn(_ collection: LinkCollection.ID, tag: Int64) throws(StoreError) -> Urn? {
        try lastOrdinal.run { statement throws(StoreError) in
            try statement.bind(1, collection.rawValue)
            try statement.bind(2, tag)
            return try statement.step() ? Urn(collection: collection, tag: tag, last: statement.integer(0)) : nil
        }
    }

    private func draw(_ urn: Urn) throws(StoreError) -> DrawnLink? {
        try memberByOrdinal.run { statement throws(StoreError) in
            try statement.bind(1, urn.collection.rawValue)
            try statement.bind(2, urn.tag)
            try statement.bind(3, Int64.random(in: 0...urn.last))
            guard try statement.step() else { return nil }
            return DrawnLink(
                slug: Slug(stored: statement.text(2)),
                target: Target(id: LinkID(rawValue: statement.integer(0)), longURL: LongURL(stored: statement.text(1))))
        }
    }

    private func row(of tag: Tag) throws(StoreError) -> Int64? {
        try findTag.run { statement throws(StoreError) in
            try statement.bind(1, tag.text)
            return try statement.step() ? statement.integer(0) : nil
        }
    }

    func portrait(of link: LinkID) throws(StoreError) -> LinkPortrait? {
        try portrait.run { statement throws(StoreError) in
            try statement.bind(1, link.rawValue)
            guard try statement.step() else { return nil }
            return LinkPortrait(
                slug: Slug(stored: statement.text(0)), title: statement.optionalText(1),
                description: statement.optionalText(2),
                tags: try tags(of: link))
        }
    }
}
