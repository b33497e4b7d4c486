// The border between the domain and its storage. Stores are held to it by one contract suite (Tests/SQLiteStoreTests).

/// Why a store could not do what it was asked. Never means «there is no such link».
package enum StoreError: Error, Equatable, Sendable {
    /// Somebody else holds the store's write lock for longer than the configured wait. Try again later.
    case busy
    /// No room on the disk. Reads go on.
    case full
    /// The file or its folder cannot be written.
    case readOnly(String)
    /// The file is damaged, foreign or newer than this program; the text names it and the next step.
    case unusable(String)
    /// Somebody has moved, replaced or cut a file of the store while it was in use; the text names it and the next step. Reads go
    /// on with what is open.
    case displaced(String)
    /// The store is closed or closing.
    case closed
    /// Anything else the storage library reported, in its words.
    case failed(String)
}

/// One page of a listing.
package struct LinkPage: Sendable {
    package let links: [Link]
    /// What to give as `after` for the next page; nil at the end. A page may be short, even empty, before the end.
    package let next: LinkID?

    package init(links: [Link], next: LinkID?) {
        self.links = links
        self.next = next
    }
}

/// Which links a listing shows.
package enum LinkFilter: Sendable {
    case all
    /// Only those marked as listed.
    case listed
    /// Only those of one account.
    case owned(AccountID)
    /// Only those that one account squeezed.
    case squeezed(AccountID)
}

/// What the domain needs of a store. Every call may come from any thread. Calls with a `done` return at once and answer
/// later, on a thread of the store or one that lends itself to it; the others, unless they say otherwise, block and must not
/// be made on an event loop.
package protocol LinkStore: AnyObject, Sendable {
    /// Moves whenever a slug's answer may have changed, by this process or another.
    var generations: Generations { get }

    /// Finds live links, all in one read transaction; `done` gets one entry a slug, nil where there is none.
    func findTargets(_ slugs: [Slug], done: @escaping @Sendable (Result<[Target?], StoreError>) -> Void)

    /// Finds live links on this thread without reading from a disk and without waiting for another call: one entry for each of the first
    /// slugs, nil where there is none, and no entry from the first on that would need to. May be called on an event loop.
    func findTargetsAtOnce(_ slugs: [Slug]) -> [Target?]

    /// Stores one link durably. `done` is called after it is on the disk and its generation has moved. Many waiting calls
    /// share one transaction; each has its own outcome.
    func add(_ link: NewLink, done: @escaping @Sendable (Result<AddOutcome, StoreError>) -> Void)

    /// Removes a link; false where there is none. The slug's row stays as a tombstone, so that it is never generated again.
    func remove(_ slug: Slug, done: @escaping @Sendable (Result<Bool, StoreError>) -> Void)

    /// Appends visits to the store, in one transaction.
    func record(_ clicks: [ClickCount], done: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// At most `limit` (1...1,000) live links with ids after `after`, in ascending order of id, in one short read
    /// transaction. Looks at a bounded number of rows, so that a rare owner's page does not read the whole store.
    func links(_ filter: LinkFilter, after: LinkID?, limit: Int) throws(StoreError) -> LinkPage

    /// The `count`-th (from 1) of the live links that an account squeezed, in ascending order of id; nil where it has fewer. Costs
    /// a step in an index for each, in short read transactions, so that a deep page of a report holds up nobody.
    func squeezedLink(_ count: Int, of account: AccountID) throws(StoreError) -> LinkID?

    /// The live link of a slug with all its fields.
    func link(_ slug: Slug) throws(StoreError) -> Link?

    /// All keys that are not revoked.
    func liveKeys() throws(StoreError) -> [APIKey]

    /// Whether the store can be read and written now; throws the reason if not. May write; blocks.
    func checkHealth() throws(StoreError)
}
