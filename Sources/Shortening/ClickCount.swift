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

extension [ClickCount] {
    /// The same visits, one count a link, ascending by link. A sum that 32 bits do not hold stays at their most instead of
    /// stopping the program. Not on an event loop: sorts.
    func addedUp() -> [ClickCount] {
        let sorted = sorted { $0.link.rawValue < $1.link.rawValue }
        var counts: [ClickCount] = []
        counts.reserveCapacity(sorted.count)
        for count in sorted {
            if let last = counts.last, last.link.rawValue == count.link.rawValue {
                let (sum, isTooLarge) = last.visits.addingReportingOverflow(count.visits)
                counts[counts.count - 1] = ClickCount(link: last.link, visits: isTooLarge ? .max : sum)
            } else {
                counts.append(count)
            }
        }
        return counts
    }
}
