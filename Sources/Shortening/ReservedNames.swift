// The first path parts that belong to the service. They come from its route table, so that a new route is never shadowed by
// somebody's slug; the names of pages yet to come are kept free beside them.

/// Names that no slug may take, compared without letter case (ASCII).
package struct ReservedNames: Sendable {
    /// Kept free for what comes, so that a later version shadows no stored slug.
    package static let forLater = [
        "api", "admin", "login", "logout", "static", "health", "healthz", "metrics", "assets", "docs", "rest",
        ".well-known",
    ]

    /// In small letters, by their length: few share one, so a look compares hardly any.
    private let byLength: [[[UInt8]]]

    /// Reserves `names`, each one path part without slashes, and those kept for later.
    package init(_ names: some Sequence<String>) {
        let all = Set((names + Self.forLater).map { $0.utf8.map(Self.folded) })
        var byLength = [[[UInt8]]](repeating: [], count: (all.map(\.count).max() ?? 0) + 1)
        for name in all { byLength[name.count].append(name) }
        self.byLength = byLength
    }

    /// Whether a text is one of the names, in any letter case.
    package func contains(_ text: String) -> Bool { contains(text.utf8Span.span) }

    /// The same for the bytes of a text. Allocates nothing.
    package func contains(_ text: Span<UInt8>) -> Bool {
        guard text.count < byLength.count else { return false }
        for name in byLength[text.count] {
            var index = 0
            while index < name.count, Self.folded(text[index]) == name[index] { index += 1 }
            if index == name.count { return true }
        }
        return false
    }

    // Only ASCII letters: a look-alike such as the Kelvin sign is no letter of a path, and is refused as a character anyway.
    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}
