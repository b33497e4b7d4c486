// The quick way for the URLs that nearly everybody has: a scheme in small letters, a domain of ASCII labels, and only legal
// characters behind it. It answers «yes» only where the long way (`URLRecord`, `URISyntax`) would keep the text byte for
// byte; everything else is the long way's business.

extension LongURL {
    /// Where the host stands in a URL that is certainly accepted and kept as it is; nil where only the long way can tell.
    /// There is no user, no port, no address, and no `xn--` label in it. The length is not looked at. Takes one pass and
    /// allocates nothing.
    package static func plainHost(in bytes: Span<UInt8>) -> Range<Int>? {
        guard let start = endOfPlainScheme(bytes), let end = endOfPlainDomain(bytes, from: start) else { return nil }
        return isPlainTail(bytes, from: end) ? start..<end : nil
    }

    private static func endOfPlainScheme(_ bytes: Span<UInt8>) -> Int? {
        let scheme: [8 of UInt8] = [0x68, 0x74, 0x74, 0x70, 0x73, 0x3a, 0x2f, 0x2f]  // "https://"
        guard bytes.count > 8 else { return nil }
        var at = 0
        for index in 0..<8 {
            if index == 4, bytes[at] != scheme[index] { continue }
            guard bytes[at] == scheme[index] else { return nil }
            at += 1
        }
        return at
    }

    /// The end of one or more labels of letters, digits and hyphens between single dots, the last of which begins with a
    /// letter: one that is a number would make the host an address.
    private static func endOfPlainDomain(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        var label = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                guard isPlainLabel(bytes, label..<index) else { return nil }
                label = index + 1
            } else if !isLetter(byte), !isDigit(byte), byte != UInt8(ascii: "-") {
                break
            }
            index += 1
        }
        guard isPlainLabel(bytes, label..<index), isLetter(bytes[label]) else { return nil }
        return index
    }

    /// Not empty and not Punycode, which would have to be checked.
    private static func isPlainLabel(_ bytes: Span<UInt8>, _ label: Range<Int>) -> Bool {
        guard label.count >= 4, bytes[label.lowerBound] | 0x20 == UInt8(ascii: "x") else { return !label.isEmpty }
        return bytes[label.lowerBound + 1] | 0x20 != UInt8(ascii: "n") || bytes[label.lowerBound + 2] != UInt8(ascii: "-")
            || bytes[label.lowerBound + 3] != UInt8(ascii: "-")
    }

    /// Nothing, or a path, a query and a fragment of RFC 3986 characters with every `%` the beginning of a good `%XX`.
    private static func isPlainTail(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        guard start < bytes.count else { return true }
        guard bytes[start] == UInt8(ascii: "/") || bytes[start] == UInt8(ascii: "?") || bytes[start] == UInt8(ascii: "#")
        else { return false }
        let legal = URISyntax.queryOrFragment
        var hasFragment = false
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if legal.contains(byte) {
                index += 1
            } else if byte == UInt8(ascii: "#"), !hasFragment {
                hasFragment = true
                index += 1
            } else if byte == UInt8(ascii: "%"), index + 2 < bytes.count, PercentEncoding.hexValue(bytes[index + 1]) != nil,
                PercentEncoding.hexValue(bytes[index + 2]) != nil
            {
                index += 3
            } else {
                return false
            }
        }
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
