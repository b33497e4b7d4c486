// The store's calls about collections: which go to the writer, which to a reader.
package import Shortening

extension SQLiteStore: CollectionStore {
    /// Members removed in one transaction: some 20 ms of work.
    private static let removalSlice = 1000

    // MARK: Questions

    package func collection(_ name: CollectionName) throws(StoreError) -> LinkCollection? {
        try readers.idlest.ask { session throws(StoreError) in try session.collections.collection(name) }
    }

    package func collections() throws(StoreError) -> [(collection: LinkCollection, members: Int)] {
        try readers.idlest.ask { session throws(StoreError) in try session.collections.all() }
    }

    package func members(
        of collection: LinkCollection.ID, _ filter: EventFilter, after: Int64?, limit: Int
    ) throws(StoreError) -> MemberPage {
        let limit = min(max(limit, 1), 1000)
        return try readers.idlest.ask { session throws(StoreError) in
            try session.snapshot { () throws(StoreError) in
                try session.collections.members(of: collection, filter, after: after ?? Int64.min, limit: limit)
            }
        }
    }

    package func drawMembers(
        _ wishes: [DrawWish], done: @escaping @Sendable (Result<[DrawnLink?], StoreError>) -> Void
    ) {
        readers.idlest.ask(
            { session throws(StoreError) in
                try session.snapshot { () throws(StoreError) in try session.collections.draw(wishes) }
            }, done: done)
    }

    package func portrait(of link: LinkID, done: @escaping @Sendable (Result<LinkPortrait?, StoreError>) -> Void) {
        readers.idlest.ask(
            { session throws(StoreError) in
                try session.snapshot { () throws(StoreError) in try session.collections.portrait(of: link) }
            }, done: done)
    }

    // MARK: Changes

    package func createCollection(_ name: CollectionName, isPublic: Bool) throws(StoreError) -> Bool {
        try change { session throws(StoreError) in try session.create(name, isPublic: isPublic) }
    }

    package func removeCollection(_ name: CollectionName) throws(StoreError) -> Bool {
        while true {
            let removal = try change { session throws(StoreError) in try session.remove(name, limit: Self.removalSlice) }
            switch removal {
            case .none: return false
            case .begun: continue
            case .done: return true
            }
        }
    }

    package func addMember(_ slug: Slug, to name: CollectionName) throws(StoreError) -> MembershipOutcome {
        try change { session throws(StoreError) in try session.add(slug, to: name) }
    }

    package func removeMember(_ slug: Slug, from name: CollectionName) throws(StoreError) -> Bool {
        try change { session throws(StoreError) in try session.remove(slug, from: name) }
    }

    package func setTags(_ tags: [Tag], of slug: Slug) throws(StoreError) -> Bool {
        try change { session throws(StoreError) in try session.setTags(tags, of: slug) }
    }

    package func setDescription(_ text: String?, of slug: Slug) throws(StoreError) -> Bool {
        try change { session throws(StoreError) in try session.setDescription(text, of: slug) }
    }

    package func addEvent(_ event: Event, to slug: Slug) throws(StoreError) -> Bool {
        try change { session throws(StoreError) in try session.add(event, to: slug) }
    }

    /// Makes a change and blocks until it is on the disk.
    private func change<Outcome: Sendable>(
        _ apply: @escaping @Sendable (CollectionWrites) throws(StoreError) -> Outcome
    ) throws(StoreError) -> Outcome {
        try Self.wait { done in
            writer.submit({ session throws(StoreError) in try apply(session.collections) }, done: done)
        }
    }
}
