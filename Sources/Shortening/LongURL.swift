// Where a link leads. Holding a `LongURL` means its bytes can stand in a Location header as they are, and that a browser
// opens it. What was given is changed as little as can be: not at all where it is well formed, as a browser would where not.

/// An absolute http or https URL with a host, in its stored form: pure printable ASCII.
package struct LongURL: Hashable, Sendable {
    package let text: String

    /// A URL that comes from the store and was checked when it went in.
    package init(stored text: String) { self.text = text }

    /// A URL that somebody gave. One that the URL standard accepts and that is well formed by RFC 3986 is kept byte for byte;
    /// any other becomes what the standard's serializer writes. `limit` counts the characters of the stored form. Throws the
    /// first thing for which a browser would refuse it, or `tooLong`. Takes time in proportion to the text; looks nothing up.
    package init(_ text: String, limit: Int) throws(LongURLError) { try self.init(checked: Array(text.utf8), limit: limit) }

    /// The same for bytes that nobody has looked at yet; throws `notUTF8` where they are no text.
    package init(_ bytes: Span<UInt8>, limit: Int) throws(LongURLError) {
        guard (try? UTF8Span(validating: bytes)) != nil else { throw .notUTF8 }
        try self.init(checked: bytes.indices.map { bytes[$0] }, limit: limit)
    }

    /// For people who leave out the scheme: `http://` goes in front where the text begins like a host, that is, where the part
    /// before the first `/`, `?` or `#` is `localhost` or has a dot, has no `@` and no `:` but before a port, and does not begin
    /// with `/ \ ? #`. All else as above.
    package init(kindly text: String, limit: Int) throws(LongURLError) {
        let bytes = Array(text.utf8)
        let cleaned = URLRecord.cleaned(bytes)
        try self.init(checked: Self.beginsLikeHost(cleaned) ? Array("http://".utf8) + cleaned : bytes, limit: limit)
    }

    /// What a browser makes of it (`href`); two URLs with one standard form lead to the same place. Nil where the text came
    /// from the store and is no URL after all.
    package var standardForm: String? {
        guard let record = try? URLRecord(parsing: URLRecord.cleaned(text.utf8)) else { return nil }
        return String(decoding: record.serialized, as: UTF8.self)
    }

    private init(checked bytes: [UInt8], limit: Int) throws(LongURLError) {
        if Self.plainHost(in: bytes.span) != nil {
            if bytes.count > limit { throw .tooLong(limit: limit, length: bytes.count) }
            text = String(decoding: bytes, as: UTF8.self)
            return
        }
        let cleaned = URLRecord.cleaned(bytes)
        let record = try URLRecord(parsing: cleaned)
        let isKept = cleaned.count == bytes.count && URISyntax.isWellFormed(bytes)
        let stored = isKept ? bytes : record.serialized
        if stored.count > limit { throw .tooLong(limit: limit, length: stored.count) }
        text = String(decoding: stored, as: UTF8.self)
    }

    private static func beginsLikeHost(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, !"/\\?#".utf8.contains(first) else { return false }
        let head = bytes.prefix { !"/?#".utf8.contains($0) }
        let parts = head.split(separator: UInt8(ascii: ":"))
        guard parts.count == 1 || parts.count == 2 && parts[1].allSatisfy(ByteSet.digits.contains) else { return false }
        return !parts[0].contains(UInt8(ascii: "@")) && URLRecord.looksLikeHost(parts[0])
    }
}
