// The number by which a slug is found in tables that live in memory. It is on the way of every redirect, so it takes eight
// bytes a step; it is never stored, so it may change with the program.

extension Slug {
    /// `hash(of:)` of the slug's bytes: the same number for the same slug in every process.
    package var stableHash: UInt64 { Self.hash(of: text.utf8Span.span) }

    /// A 64-bit hash of any bytes in which every bit depends on every byte, so that tables may take whichever bits they like.
    /// Without a secret `seed` anybody can make slugs that collide; a table that must not care gives one. No allocation.
    ///
    /// A step is `(h ^ word) * odd`, folded by `h ^= h >> 32`: each part of it is a bijection, so no word can swallow what
    /// came before it. The end is the finaliser of SplitMix64 (Steele, Lea, Flood 2014), which spreads every bit over all 64.
    package static func hash(of bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        let raw = unsafe bytes.bytes  // unsafe for elements with padding; bytes have none
        let count = raw.byteCount
        // The length goes in first: the last words below overlap, and would not tell "aa" from "a" otherwise.
        var hash = seed ^ (UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15)
        if count >= 8 {
            var offset = 0
            while offset + 8 < count {
                hash = step(hash, word(raw, at: offset))
                offset += 8
            }
            hash = step(hash, word(raw, at: count - 8))
        } else if count >= 4 {
            hash = step(hash, UInt64(half(raw, at: 0)) | UInt64(half(raw, at: count - 4)) << 32)
        } else if count > 0 {
            let middle = UInt64(bytes[count / 2]) << 8
            hash = step(hash, UInt64(bytes[0]) | middle | UInt64(bytes[count - 1]) << 16)
        }
        hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
        return hash ^ hash >> 31
    }

    @inline(__always)
    private static func step(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x9fb2_1c65_1e98_df25  // odd, and its bits look random
        return product ^ product >> 32
    }

    // The loads check their bounds; they are called unsafe because not every type may be made of any bits. These two may.
    @inline(__always)
    private static func word(_ raw: RawSpan, at offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func half(_ raw: RawSpan, at offset: Int) -> UInt32 {
        unsafe UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
