// A link with all that belongs to it, as it leaves the store and comes into another one. Row numbers are not in it, because
// they mean something in one store only; names stand in their place.

/// Everything that is kept about a link.
package struct LinkRecord: Equatable, Sendable {
    /// A place in a collection.
    package struct Membership: Equatable, Sendable {
        package var collection: CollectionName
        /// Its place in the order; nil for the end.
        package var position: Int64?

        package init(collection: CollectionName, position: Int64?) {
            self.collection = collection
            self.position = position
        }
    }

    package var slug: Slug
    package var longURL: LongURL
    package var title: String?
    package var description: String?
    /// Ascending by their bytes.
    package var tags: [Tag] = []
    /// Seconds since 1970, UTC, as are all times here.
    package var created: Int64
    package var expires: Int64?
    /// When it was removed. Its slug is kept, so that it is not generated again.
    package var removed: Int64?
    /// The account's name.
    package var owner: String?
    package var isListed = false
    /// Whether it is its owner's one short URL for the long one.
    package var isSqueezed = false
    package var clicks: Int64 = 0
    /// Ascending by the collections' names.
    package var memberships: [Membership] = []
    /// By their first day.
    package var events: [Event] = []

    package init(slug: Slug, longURL: LongURL, created: Int64) {
        self.slug = slug
        self.longURL = longURL
        self.created = created
    }
}

/// A collection without its links.
package struct CollectionRecord: Equatable, Sendable {
    package var name: CollectionName
    package var isPublic: Bool
    package var created: Int64

    package init(name: CollectionName, isPublic: Bool, created: Int64) {
        self.name = name
        self.isPublic = isPublic
        self.created = created
    }
}
