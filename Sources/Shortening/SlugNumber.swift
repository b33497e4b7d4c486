// A slug as a number, which a store finds it by at once. The same numbers stand in stores (migration 0003), so they never change.

extension Slug {
    /// The slug's number: no other slug has it, and numbers sort as slugs do. Nil for more than ten characters.
    package var number: Int64? { text.utf8Span.span.slugNumber }
}

extension Span<UInt8> {
    /// Slugs up to so many bytes have a number: 67 to the power of 10 is the last that fits into 63 bits.
    private static var longestNumbered: Int { 10 }

    /// The bytes of a slug as digits to the base of 67, the first the highest, with zeros behind the last; nil where they are too many.
    package var slugNumber: Int64? {
        if count > Self.longestNumbered { return nil }
        var number: Int64 = 0
        for index in 0..<Self.longestNumbered { number = number * 67 + (index < count ? Self.digit(self[index]) : 0) }
        return number
    }

    /// 1 to 66 for a slug's characters in the order of their bytes; 0 for what is none.
    private static func digit(_ byte: UInt8) -> Int64 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int64(byte) - 57
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int64(byte) - 45
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int64(byte) - 52
        case UInt8(ascii: "-"), UInt8(ascii: "."): Int64(byte) - 44
        case UInt8(ascii: "_"): 39
        case UInt8(ascii: "~"): 66
        default: 0
        }
    }
}
