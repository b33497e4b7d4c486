// The short name of a link. Holding a `Slug` means it is one that its own short URL can reach.

/// Why a text cannot be a slug.
package enum SlugError: Error, Equatable, Sendable {
    case empty
    /// Longer than the limit, in Unicode scalars.
    case tooLong(limit: Int)
    /// The first character that is not allowed.
    case character(Unicode.Scalar)
    /// The program's own pages need it.
    case reserved
    /// `.`, `..`, or a dot or tilde at an end, or a name ending in `.json`.
    case shape
}

/// 1 to 45 characters of `A-Z a-z 0-9 - _`, with `.` and `~` inside; case matters.
package struct Slug: Hashable, Sendable {
    /// Pure ASCII.
    package let text: String

    /// A slug that comes from the store and was checked when it went in.
    package init(stored text: String) { self.text = text }

    /// The same number for the same slug in every process: FNV-1a, 64 bits, over the ASCII bytes.
    package var stableHash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }
}
