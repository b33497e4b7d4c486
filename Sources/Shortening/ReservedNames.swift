// The first path parts that belong to the service. They come from its route table, so that a new route is never shadowed by
// somebody's slug; the names of pages yet to come are kept free beside them.

/// Names that no slug may take, compared without letter case (ASCII).
package struct ReservedNames: Sendable {
    /// Kept free for what comes, so that a later version shadows no stored slug.
    package static let forLater = [
        "api", "admin", "login", "logout", "static", "health", "healthz", "metrics", "assets", "docs", "rest",
        ".well-known",
    ]

    private let names: Set<String>

    /// Reserves `names`, each one path part without slashes, and those kept for later.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names.map(Self.folded)).union(Self.forLater)
    }

    /// Whether a text is one of the names, in any letter case. Allocates at most one string.
    package func contains(_ text: String) -> Bool { names.contains(Self.folded(text)) }

    // Only ASCII letters: a look-alike such as the Kelvin sign is no letter of a path, and is refused as a character anyway.
    private static func folded(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
