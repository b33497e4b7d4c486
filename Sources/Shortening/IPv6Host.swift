// IPv6 addresses between brackets (url.spec.whatwg.org, «IPv6 parser» and «IPv6 serializer»). Zones (`%eth0`) are refused, as
// the standard does: they mean something on one machine only.

enum IPv6Host {
    /// The eight pieces of the address, or nil where the text between the brackets is none.
    static func parse(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        var reader = Reader(text)
        return reader.address()
    }

    /// The standard's form: lower-case, no leading zeros, the first of the longest runs of zeros (two at least) as `::`.
    static func serialize(_ pieces: [UInt16]) -> [UInt8] {
        let gap = longestZeros(pieces)
        var text = "["
        var index = 0
        while index < pieces.count {
            if index == gap.lowerBound, !gap.isEmpty {
                text += index == 0 ? "::" : ":"
                index = gap.upperBound
                continue
            }
            text += String(pieces[index], radix: 16)
            if index < pieces.count - 1 { text += ":" }
            index += 1
        }
        return Array((text + "]").utf8)
    }

    private static func longestZeros(_ pieces: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in 0...pieces.count where index == pieces.count || pieces[index] != 0 {
            if index - start > max(longest.count, 1) { longest = start..<index }
            start = index + 1
        }
        return longest
    }

    /// Reads pieces from left to right; `gap` is the number of pieces before `::`.
    private struct Reader {
        private var rest: ArraySlice<UInt8>
        private var pieces: [UInt16] = []
        private var gap: Int?

        init(_ text: ArraySlice<UInt8>) { rest = text }

        mutating func address() -> [UInt16]? {
            if rest.first == UInt8(ascii: ":") {
                guard take(":"), take(":") else { return nil }
                gap = 0
            }
            while !rest.isEmpty {
                guard pieces.count < 8, readPart() else { return nil }
            }
            guard let gap else { return pieces.count == 8 ? pieces : nil }
            // With all eight written out there is nothing for `::` to stand for.
            guard pieces.count < 8 else { return nil }
            let zeros = [UInt16](repeating: 0, count: 8 - pieces.count)
            return Array(pieces[..<gap] + zeros + pieces[gap...])
        }

        /// One piece with the colon after it, a second colon of `::`, or the dotted end.
        private mutating func readPart() -> Bool {
            if take(":") {
                guard gap == nil else { return false }
                gap = pieces.count
                return true
            }
            let digits = rest.prefix(4).prefix { PercentEncoding.hexValue($0) != nil }
            let after = rest.dropFirst(digits.count)
            if after.first == UInt8(ascii: ".") { return !digits.isEmpty && readDotted() }
            rest = after
            pieces.append(digits.reduce(0) { $0 << 4 | UInt16(PercentEncoding.hexValue($1) ?? 0) })
            if rest.isEmpty { return true }
            // A colon must lead to something: another piece, or the second colon of `::`.
            return take(":") && !rest.isEmpty
        }

        /// Four decimal numbers up to the end of the text, filling two pieces.
        private mutating func readDotted() -> Bool {
            let parts = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard pieces.count <= 6, parts.count == 4 else { return false }
            var value: UInt32 = 0
            for part in parts {
                guard (1...3).contains(part.count), part.allSatisfy(ByteSet.digits.contains) else { return false }
                if part.count > 1, part.first == UInt8(ascii: "0") { return false }
                let number = part.reduce(0) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
                guard number <= 255 else { return false }
                value = value << 8 | number
            }
            pieces += [UInt16(value >> 16), UInt16(value & 0xffff)]
            rest = []
            return true
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }
    }
}
