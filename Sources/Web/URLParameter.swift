// Reads the long URL out of a query such as `?url=http://example.com/a?x=1&y=2%23frag`: some clients escape it wholly, some
// hardly at all, and there is only this one parameter, so the rest of the query belongs to it. Decoded exactly once.
internal import HTTP

enum URLParameter {
    /// The value of `url=` in a raw query, or nil where there is none.
    static func value(in query: Span<UInt8>) -> String? {
        guard let start = start(in: query) else { return nil }
        let rest = query.extracting(start..<query.count)
        var end = 0
        while end < rest.count, rest[end] != UInt8(ascii: "&") { end += 1 }
        let segment = rest.extracting(0..<end)
        let decoded = isForm(segment) ? decodePercentBytes(segment, plusIsSpace: true) : decodePercentBytes(rest)
        return String(decoding: repaired(unwrapped(trimmed(decoded))), as: UTF8.self)
    }

    /// Behind the first `url=` that begins the query or follows a `&`.
    private static func start(in query: Span<UInt8>) -> Int? {
        let name: [4 of UInt8] = [0x75, 0x72, 0x6c, 0x3d]
        for at in query.indices where at == 0 || query[at - 1] == UInt8(ascii: "&") {
            guard at + 4 <= query.count else { return nil }
            var index = 0
            while index < 4, query[at + index] == name[index] { index += 1 }
            if index == 4 { return at + 4 }
        }
        return nil
    }

    /// Whether a segment was wholly escaped: nothing in it that form encoding or encodeURIComponent would have escaped, and
    /// its scheme's colon is.
    private static func isForm(_ segment: Span<UInt8>) -> Bool {
        for index in segment.indices where !isFormByte(segment[index]) { return false }
        var at = 0
        while at < segment.count, segment[at] != UInt8(ascii: "%") { at += 1 }
        return at > 0 && at + 2 < segment.count && segment[at + 1] == UInt8(ascii: "3")
            && segment[at + 2].lowercased == UInt8(ascii: "a")
    }

    private static func isFormByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~!'()*%+".utf8.contains(byte)
        }
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var slice = bytes[...]
        while let first = slice.first, first <= 0x20 { slice.removeFirst() }
        while let last = slice.last, last <= 0x20 { slice.removeLast() }
        return slice
    }

    /// A Swift client that interpolates an optional sends `Optional("…")`; the inside is meant.
    private static func unwrapped(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let (opening, closing) = (Array("Optional(\"".utf8), Array("\")".utf8))
        guard bytes.count >= opening.count + closing.count, bytes.starts(with: opening),
            bytes.suffix(2).elementsEqual(closing)
        else { return bytes }
        return bytes.dropFirst(opening.count).dropLast(closing.count)
    }

    /// Every byte that may not stand in a URL (RFC 3986) escaped; valid triplets kept. So no line break can get through.
    private static func repaired(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var repaired: [UInt8] = []
        repaired.reserveCapacity(bytes.count)
        for byte in bytes {
            if isURLByte(byte) {
                repaired.append(byte)
            } else {
                repaired += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return repaired
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
        }
    }
}
