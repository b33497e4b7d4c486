// The border between collections and their storage. Stores are held to it by a contract suite (Tests/SQLiteStoreTests).

/// How the store answered a wish to put a link into a collection.
package enum MembershipOutcome: Equatable, Sendable {
    /// It is the last member now.
    case added
    /// It was a member before, and stays where it was.
    case alreadyMember
    case noCollection
    case noLink
}

/// Collections, and what their listings show of links. Every call may come from any thread. Calls with a `done` return at once
/// and answer later on a thread of the store; the others block and must not be made on an event loop, nor from a `done`.
package protocol CollectionStore: AnyObject, Sendable {
    // MARK: Questions

    /// The collection of that name, public or not.
    func collection(_ name: CollectionName) throws(StoreError) -> LinkCollection?

    /// All collections by name, each with the number of its members, in one read transaction.
    func collections() throws(StoreError) -> [(collection: LinkCollection, members: Int)]

    /// At most `limit` (1...1,000) members behind the position `after`, in their order, in one short read transaction. With a
    /// filter, a member without an event that passes is left out. A removed collection has no members.
    func members(
        of collection: LinkCollection.ID, _ filter: EventFilter, after: Int64?, limit: Int
    ) throws(StoreError) -> MemberPage

    /// Draws members at random from public collections, all in one read transaction; `done` gets one entry a wish. Each member
    /// that carries the tag is as likely as any other, and where none carries it, or no tag is wished, each of all. nil where
    /// there is no such collection, or nobody in it. A draw takes time in proportion to the logarithm of their number.
    func drawMembers(_ wishes: [DrawWish], done: @escaping @Sendable (Result<[DrawnLink?], StoreError>) -> Void)

    /// What a live link says of itself.
    func portrait(of link: LinkID, done: @escaping @Sendable (Result<LinkPortrait?, StoreError>) -> Void)

    // MARK: Changes

    /// Makes an empty collection; false where the name is taken.
    func createCollection(_ name: CollectionName, isPublic: Bool) throws(StoreError) -> Bool

    /// Removes a collection, not its links; false where there is none. A large one goes in several transactions, so that
    /// others can write in between.
    func removeCollection(_ name: CollectionName) throws(StoreError) -> Bool

    /// Puts a live link at a collection's end.
    func addMember(_ slug: Slug, to name: CollectionName) throws(StoreError) -> MembershipOutcome

    /// Takes a link out of a collection; false where it is no member.
    func removeMember(_ slug: Slug, from name: CollectionName) throws(StoreError) -> Bool

    /// Gives a live link these tags and no others; false where there is no such link.
    func setTags(_ tags: [Tag], of slug: Slug) throws(StoreError) -> Bool

    /// Says what a live link is about, or no more; false where there is no such link.
    func setDescription(_ text: String?, of slug: Slug) throws(StoreError) -> Bool

    /// Gives a live link one more event; false where there is no such link.
    func addEvent(_ event: Event, to slug: Slug) throws(StoreError) -> Bool
}
