// Runs of bytes that may stand where they are, looked at eight at a time: a head is mostly such runs, and a look at each byte
// would be a third of a redirect's instructions. Only a quick way over what `ByteClass` allows; what it means is decided there.
//
// In a word x of eight bytes, (x - n·0x01…) & ~x & 0x80… has the top bit of the lowest byte that is less than n set, and none
// below it; n is at most 128. With x ^ b·0x01… and n = 1 it finds the lowest byte that is b. (H. S. Warren, Hacker's Delight, 6-1)

enum ByteRun {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Where the first byte from `start` on lies that may not stand in a field value, or the end of the bytes.
    static func endOfValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while at + 8 <= bytes.count {
            let word = bytes.word(at: at)
            let found = below(0x20, word) | equal(0x7f, word)
            guard found != 0 else {
                at += 8
                continue
            }
            at += found.trailingZeroBitCount / 8
            guard bytes[at] == .tab else { return at }
            at += 1
        }
        while at < bytes.count, ByteClass.isValue(bytes[at]) { at += 1 }
        return at
    }

    /// Where the first byte from `start` on lies that is `?`, `%` or may not stand in a request target, or the end.
    static func endOfPlainTarget(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while at + 8 <= bytes.count {
            let word = bytes.word(at: at)
            let found =
                below(0x21, word) | equal(0x7f, word) | equal(0x23, word) | equal(.questionMark, word)
                | equal(.percent, word)
            guard found == 0 else { return at + found.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < bytes.count, ByteClass.isTarget(bytes[at]), bytes[at] != .questionMark, bytes[at] != .percent { at += 1 }
        return at
    }

    /// How far from `start` on all bytes are letters or `-`, as nearly all of a field name's are; it may be less, not more.
    static func endOfPlainName(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while at + 8 <= bytes.count {
            let word = bytes.word(at: at)
            // The bit that tells small letters from capitals; it makes a letter of nothing else.
            let small = word | ones &* 0x20
            let letters = least(0x61, small) & ~least(0x7b, small)
            let dashes = least(0x2d, word) & ~least(0x2e, word)
            let others = tops & (word | ~(letters | dashes))
            guard others == 0 else { return at + others.trailingZeroBitCount / 8 }
            at += 8
        }
        return at
    }

    /// The word with its capital letters made small.
    @inline(__always)
    static func lowercased(_ word: UInt64) -> UInt64 {
        // Without their top bits, so that no sum runs over into the next byte; bytes from 128 on are no letters.
        let rest = word & ~tops
        let capitals = least(0x41, rest) & ~least(0x5b, rest) & ~word & tops
        return word | capitals >> 2
    }

    /// How far from `start` on all bytes are small letters, digits, `-` or `.`, as nearly all of a host's are; it may be less,
    /// not more.
    static func endOfPlainHost(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while at + 8 <= bytes.count {
            let word = bytes.word(at: at)
            let digits = least(0x2d, word) & ~least(0x3a, word)  // and "-", "." and "/"
            let letters = least(0x61, word) & ~least(0x7b, word)
            let others = tops & (word | ~(digits | letters) | equal(.slash, word))
            guard others == 0 else { return at + others.trailingZeroBitCount / 8 }
            at += 8
        }
        return at
    }

    /// The top bit of each byte that is at least `bound`, itself at most 128; bytes from 128 on make the bits above them wrong.
    @inline(__always)
    private static func least(_ bound: UInt64, _ word: UInt64) -> UInt64 { word &+ ones &* (0x80 - bound) }

    /// The top bit of the lowest byte that is less than `bound`, and perhaps of others above it.
    @inline(__always)
    private static func below(_ bound: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* bound) & ~word & tops }

    /// The top bit of the lowest byte that is `byte`, and perhaps of others above it.
    @inline(__always)
    private static func equal(_ byte: UInt8, _ word: UInt64) -> UInt64 { below(1, word ^ (ones &* UInt64(byte))) }
}

extension Span<UInt8> {
    /// The eight bytes from `offset` on, which must be there; the first one lowest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        // Any eight bytes are a UInt64; the load checks that they are inside.
        unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The four bytes from `offset` on, in the same way.
    @inline(__always)
    func half(at offset: Int) -> UInt32 {
        unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
