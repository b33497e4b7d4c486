// The short name of a link. Holding a `Slug` means it is one that its own short URL can reach: every character of it stands
// for itself in a path (RFC 3986 section 2.3), and nothing rewrites it on its way (no dot segments, no trailing dot).
// It knows nothing of stores, and of routes only the names they reserve.

/// 1 to 45 characters of `A-Z a-z 0-9 - _`, with `.` and `~` inside; case matters.
package struct Slug: Hashable, Sendable {
    /// The limit unless a setting says otherwise, in characters. What the oldest clients and their stores allow.
    package static let longest = 45

    /// Pure ASCII.
    package let text: String

    /// A slug that comes from the store and was checked when it went in.
    package init(stored text: String) { self.text = text }

    /// A slug that somebody chose. `limit` counts Unicode scalars. Throws the first thing that is wrong, in this order: the
    /// length, the reserved names, the characters, the shape.
    package init(_ text: String, limit: Int, reserved: ReservedNames) throws(SlugError) {
        if text.isEmpty { throw .empty }
        if text.unicodeScalars.dropFirst(limit).first != nil { throw .tooLong(limit: limit) }
        if reserved.contains(text) { throw .reserved(text) }
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value), Self.isAllowed(byte) else { throw .character(scalar) }
        }
        guard Self.isWellFormed(text.utf8Span.span) else { throw .shape }
        self.text = text
    }

    /// The slug that a path names, or nil where no slug can be written so. `bytes` is one path part, already percent-decoded,
    /// without slashes. Reserved names are not looked at: the routes have had their turn. The only allocation is the text's.
    package init?(path bytes: Span<UInt8>, limit: Int) {
        guard bytes.count <= limit, Self.isWellFormed(bytes), let text = try? UTF8Span(validating: bytes) else {
            return nil
        }
        self.text = String(copying: text)
    }

    /// Whether the bytes are a slug as far as alphabet, shape and length go; reserved names aside. Allocates nothing.
    package static func isPlain(_ bytes: Span<UInt8>, limit: Int) -> Bool { bytes.count <= limit && isWellFormed(bytes) }

    /// Whether the bytes have a slug's alphabet and shape; length and reserved names aside.
    private static func isWellFormed(_ bytes: Span<UInt8>) -> Bool {
        let last = bytes.count - 1
        guard last >= 0, !isPunctuation(bytes[0]), !isPunctuation(bytes[last]) else { return false }
        for index in 0...last where !isAllowed(bytes[index]) { return false }
        return !endsInJSON(bytes)
    }

    /// Collections are published under names that end in `.json`, so no slug does, in any letter case.
    private static func endsInJSON(_ bytes: Span<UInt8>) -> Bool {
        let suffix: [5 of UInt8] = [0x2e, 0x6a, 0x73, 0x6f, 0x6e]  // ".json"
        let start = bytes.count - suffix.count
        guard start >= 0 else { return false }
        // Setting bit 5 makes letters small and leaves the dot as it is. All bytes are of the alphabet here, and no other
        // member of it becomes one of these five.
        for index in 0..<suffix.count where bytes[start + index] | 0x20 != suffix[index] { return false }
        return true
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~") }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
