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

extension [LinkID: UInt32] {
    /// Adds visits; a sum that 32 bits do not hold stays at their most instead of stopping the program.
    mutating func add(_ count: ClickCount) {
        let (sum, isTooLarge) = self[count.link, default: 0].addingReportingOverflow(count.visits)
        self[count.link] = isTooLarge ? .max : sum
    }
}
