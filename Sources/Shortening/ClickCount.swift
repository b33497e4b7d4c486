// Visits of one link, on their way from memory to the store.

/// A number of visits to add to a link's count.
package struct ClickCount: Sendable, Equatable {
    package let link: LinkID
    /// At least 1.
    package let visits: UInt32

    package init(link: LinkID, visits: UInt32) {
        self.link = link
        self.visits = visits
    }
}
