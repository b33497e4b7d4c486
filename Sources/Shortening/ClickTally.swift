// Visits since the last drain. A counter is an element of one array; whoever counts often keeps the element's place and the
// epoch it belongs to, so that a visit to a cached link costs an addition and a drain costs a swap.

/// Counters of visits by link; not safe from several threads at once.
package struct ClickTally {
    /// Where a link's counter was, and in which epoch. `none` belongs to no epoch.
    struct Place {
        var epoch: UInt32
        var index: UInt32

        static let none = Place(epoch: 0, index: 0)
    }

    private var epoch: UInt32 = 1
    private var counters: [ClickCount] = []

    package init() {}

    /// Counts one visit; returns where the counter is now.
    mutating func count(_ link: LinkID, at place: Place) -> Place {
        if place.epoch == epoch {
            let index = Int(place.index)
            counters[index] = ClickCount(link: link, visits: counters[index].visits &+ 1)
            return place
        }
        counters.append(ClickCount(link: link, visits: 1))
        return Place(epoch: epoch, index: UInt32(truncatingIfNeeded: counters.count - 1))
    }

    /// Takes all counters; a link may occur more than once among them.
    mutating func drain() -> [ClickCount] {
        // 0 belongs to `Place.none`.
        epoch = epoch == .max ? 1 : epoch + 1
        defer { counters = [] }
        return counters
    }
}
