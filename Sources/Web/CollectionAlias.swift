// Old names for the random and detail routes of a collection, so that apps with other paths and parameters compiled in find it. A
// value only: which there are is configuration.
package import Shortening

/// One path that stands for a route of a collection.
package struct CollectionAlias: Equatable, Sendable {
    package enum Purpose: Sendable {
        /// Leads to a random member.
        case random
        /// Shows what was drawn for a session.
        case detail
    }

    /// One path part with its slash; no slug may take its name.
    package var path: String
    package var collection: CollectionName
    package var purpose: Purpose
    /// Query parameters that may carry the tag; the first that is there counts.
    package var tagNames = ["tag"]
    /// Query parameters that may carry the session: with two slips that copies of the apps were seen to make.
    package var sessionNames = ["session", "sessionID", "seesion"]

    package init(_ path: String, of collection: CollectionName, _ purpose: Purpose) {
        self.path = path
        self.collection = collection
        self.purpose = purpose
    }

    /// What the apps of the flower service ask for.
    package static let flowers: [CollectionAlias] = [
        flower("/showrandom.php", .random), flower("/showrandomiphone.php", .random), flower("/showrandomios.php", .random),
        flower("/detailiphone.php", .detail), flower("/detailios.php", .detail),
    ]

    private static func flower(_ path: String, _ purpose: Purpose) -> CollectionAlias {
        var alias = CollectionAlias(path, of: CollectionName(stored: "flowers"), purpose)
        alias.tagNames = ["color"]
        return alias
    }
}
