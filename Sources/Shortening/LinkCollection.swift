// Named, ordered sets of links. Values only: nothing here reads or writes a store. («Collection» alone is a protocol of Swift's.)

/// The name of a collection, which is published under it: it obeys the rules of slugs.
package struct CollectionName: Hashable, Sendable {
    /// Pure ASCII.
    package let text: String

    /// A name that comes from the store and was checked when it went in.
    package init(stored text: String) { self.text = text }

    /// A name that somebody chose. Throws what would be wrong with a slug like it.
    package init(_ text: String, reserved: ReservedNames) throws(SlugError) {
        self.text = try Slug(text, limit: Slug.longest, reserved: reserved).text
    }

    /// The name that a part of a path stands for, or nil where there can be no collection of that name.
    package init?(path text: String) {
        guard let slug = Slug(path: text.utf8Span.span, limit: Slug.longest) else { return nil }
        self.text = slug.text
    }
}

/// A collection itself; its members are asked for page by page.
package struct LinkCollection: Sendable {
    /// A collection's row number in the store. Never given to another collection, also after this one was removed.
    package struct ID: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int64

        package init(rawValue: Int64) { self.rawValue = rawValue }
    }

    package let id: ID
    package let name: CollectionName
    /// Whether anybody may see its listing.
    package let isPublic: Bool
    /// Another one after every change of what its listing shows; never an earlier one again.
    package let revision: Int64

    package init(id: ID, name: CollectionName, isPublic: Bool, revision: Int64) {
        self.id = id
        self.name = name
        self.isPublic = isPublic
        self.revision = revision
    }
}

/// A link as the listing of a collection shows it.
package struct Member: Sendable {
    /// Its place in the collection; places have gaps.
    package let position: Int64
    package let slug: Slug
    package let longURL: LongURL
    package let title: String?
    /// In alphabetical order.
    package let tags: [Tag]
    /// By their first day; only those that were asked for.
    package let events: [Event]

    package init(position: Int64, slug: Slug, longURL: LongURL, title: String?, tags: [Tag], events: [Event]) {
        self.position = position
        self.slug = slug
        self.longURL = longURL
        self.title = title
        self.tags = tags
        self.events = events
    }
}

/// One page of a collection's members.
package struct MemberPage: Sendable {
    package let members: [Member]
    /// What to give as `after` for the next page; nil at the end. A page may be short, even empty, before the end.
    package let next: Int64?

    package init(members: [Member], next: Int64?) {
        self.members = members
        self.next = next
    }
}

/// A wish for a random member of a collection.
package struct DrawWish: Hashable, Sendable {
    package let collection: CollectionName
    /// nil for any member.
    package let tag: Tag?

    package init(collection: CollectionName, tag: Tag?) {
        self.collection = collection
        self.tag = tag
    }
}

/// A member that was drawn at random.
package struct DrawnLink: Sendable {
    package let slug: Slug
    package let target: Target

    package init(slug: Slug, target: Target) {
        self.slug = slug
        self.target = target
    }
}

/// What a link says of itself to people.
package struct LinkPortrait: Sendable {
    package let slug: Slug
    package let title: String?
    package let description: String?
    /// In alphabetical order.
    package let tags: [Tag]

    package init(slug: Slug, title: String?, description: String?, tags: [Tag]) {
        self.slug = slug
        self.title = title
        self.description = description
        self.tags = tags
    }
}
