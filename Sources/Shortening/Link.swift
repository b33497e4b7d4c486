// A short link and what is needed to make one. Values only: nothing here reads or writes a store.

/// A link's row number in the store. Never given to another link, also after the link was removed.
package struct LinkID: RawRepresentable, Hashable, Sendable, Comparable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }
}

/// A stored link.
package struct Link: Sendable {
    package let id: LinkID
    package let slug: Slug
    package let longURL: LongURL
    package let title: String?
    /// Seconds since 1970, UTC.
    package let created: Int64
    package let owner: AccountID?
    /// Whether the public listings show it.
    package let isListed: Bool
    /// Visits counted in the store; what the daemon holds in memory for the running second is not in it.
    package let clicks: Int64

    package init(
        id: LinkID, slug: Slug, longURL: LongURL, title: String?, created: Int64, owner: AccountID?, isListed: Bool,
        clicks: Int64
    ) {
        self.id = id
        self.slug = slug
        self.longURL = longURL
        self.title = title
        self.created = created
        self.owner = owner
        self.isListed = isListed
        self.clicks = clicks
    }
}

/// What a redirect needs of a link.
package struct Target: Sendable {
    package let id: LinkID
    package let longURL: LongURL

    package init(id: LinkID, longURL: LongURL) {
        self.id = id
        self.longURL = longURL
    }
}

/// A link that somebody asks to have stored.
package struct NewLink: Sendable {
    /// Where the slug comes from.
    package enum SlugSource: Sendable {
        case chosen(Slug)
        /// Drawn by the store's writer from the generator until the index takes one.
        case generated(SlugGenerator)
    }

    package let slug: SlugSource
    package let longURL: LongURL
    package let title: String?
    package let owner: AccountID?
    package let isListed: Bool
    /// Whether it is to be its owner's one short URL for this long URL: where there is one already, that one is answered. Means
    /// nothing without an owner.
    package let isSqueezed: Bool

    package init(
        slug: SlugSource, longURL: LongURL, title: String? = nil, owner: AccountID? = nil, isListed: Bool = false,
        isSqueezed: Bool = false
    ) {
        self.slug = slug
        self.longURL = longURL
        self.title = title
        self.owner = owner
        self.isListed = isListed
        self.isSqueezed = isSqueezed
    }
}

/// How the store answered an add.
package enum AddOutcome: Sendable {
    /// On the disk, under this slug.
    case added(Slug, LinkID)
    /// The owner has squeezed this long URL before: that live link, on the disk too; nothing was stored.
    case existing(Slug, LinkID)
    /// Another live link has the slug; nothing was stored.
    case taken
}
