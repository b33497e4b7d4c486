// The border between the domain and its storage where links come and go by the million. Everyday adds go by `LinkStore`.

/// What became of a link that was given to a store in bulk.
package enum BulkOutcome: Sendable {
    case added
    /// The slug leads to this very URL already, or was kept as removed and comes as removed.
    case alreadyThere
    /// The same, but since this bulk began: an earlier row has it, or somebody added it meanwhile.
    case repeated
    /// The slug leads elsewhere.
    case taken
}

/// What one transaction did.
package struct BulkCounts: Equatable, Sendable {
    package var added = 0
    package var alreadyThere = 0

    package init() {}
}

/// Stores many links beside whoever else uses the store. Confined to one thread; every call blocks.
package protocol BulkStore: AnyObject {
    /// Stores links in one transaction, which is on the disk when the call returns; afterwards others have had their turn.
    /// `fill` is asked to put the next links in the place of the last, until there are none or `time` is over; the store's
    /// write lock is held for little longer than that. A link whose outcome is `repeated` or `taken` is told to `refuse` and
    /// not stored. After an error nothing of the transaction is stored, and neither where `fill` gives it up by saying false.
    func add(
        within time: Duration, from fill: (inout PackedLinks) -> Bool,
        refuse: (_ row: Int, _ slug: String, _ outcome: BulkOutcome) -> Void
    ) throws(StoreError) -> BulkCounts

    /// What would become of these links; nothing is stored.
    func outcomes(of links: PackedLinks) throws(StoreError) -> [BulkOutcome]
}

/// Where links and collections are read from in large numbers, page by page, without a snapshot across pages.
package protocol RecordSource: AnyObject {
    /// At most `limit` (1...1,000) links with slugs after `slug`, removed ones too, in one short read transaction: those
    /// of up to ten bytes first, then the longer ones, both ascending by the slugs' bytes. Empty at the end.
    func records(after slug: String, limit: Int) throws(StoreError) -> [LinkRecord]

    /// The same for collections, by name.
    func collections(after name: String, limit: Int) throws(StoreError) -> [CollectionRecord]
}
