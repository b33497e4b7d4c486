// Percent-encoding as the URL standard has it (url.spec.whatwg.org, «Percent-encoded bytes»): each component has its own set
// of characters that are encoded; a `%` that is there already is left alone, so nothing is ever encoded twice.

enum PercentEncoding {
    // Non-ASCII bytes are members of every one of these sets; `append` sees to it.
    private static let fragmentOrQuery = ByteSet.controls.union(" \"<>")
    static let fragment = fragmentOrQuery.union("`")
    /// The special-query set: http and https encode the apostrophe too.
    static let query = fragmentOrQuery.union("#'")
    static let path = fragmentOrQuery.union("#?^`{}")
    static let userinfo = path.union("/:;=@[\\]|")

    /// Appends `bytes`, with those of `set` and all beyond ASCII as `%XX`.
    static func append(_ bytes: ArraySlice<UInt8>, encoding set: ByteSet, to output: inout [UInt8]) {
        for byte in bytes {
            if byte < 0x80, !set.contains(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(upperHexDigit(byte >> 4))
                output.append(upperHexDigit(byte & 15))
            }
        }
    }

    /// The bytes with every good `%XX` replaced by what it stands for; a `%` that begins none stays.
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if let byte = escapedByte(in: bytes, at: index) {
                output.append(byte)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    /// The byte that a `%XX` at `index` stands for; nil where there is none.
    static func escapedByte(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = hexValue(bytes[index + 1]),
            let low = hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// The value of a hexadecimal digit in either letter case.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func upperHexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
