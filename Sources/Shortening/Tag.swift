// A word that links are grouped by. Letter case never matters, so a tag is kept in small letters.

/// 1 to 50 characters without control characters, in lower case, without blanks at its ends.
package struct Tag: Hashable, Sendable {
    /// In characters (Unicode scalars).
    package static let limit = 50

    package let text: String

    /// A tag that comes from the store and was checked when it went in.
    package init(stored text: String) { self.text = text }

    /// Nil where a text can be no tag. A comma is refused: lists of tags are written with commas.
    package init?(_ text: String) {
        let scalars = text.lowercased().unicodeScalars
        var trimmed = scalars[...]
        while trimmed.first?.properties.isWhitespace == true { trimmed.removeFirst() }
        while trimmed.last?.properties.isWhitespace == true { trimmed.removeLast() }
        let isPlain = trimmed.allSatisfy { $0.properties.generalCategory != .control && $0 != "," }
        guard !trimmed.isEmpty, trimmed.count <= Self.limit, isPlain else { return nil }
        self.text = String(trimmed)
    }
}
