// The grammar of RFC 3986 for http and https URLs (sections 3 and 4.3, with RFC 9110 section 4.2.1: there is a host).
// It looks only at the form; whether hosts and ports mean anything is the URL standard's question (`URLRecord`).

enum URISyntax {
    private static let unreserved = ByteSet.letters.union(ByteSet.digits).union("-._~")
    private static let registeredName = unreserved.union("!$&'()*+,;=")
    private static let userinfo = registeredName.union(":")
    private static let path = userinfo.union("@/")
    static let queryOrFragment = path.union("?")
    private static let literal = ByteSet.digits.union("ABCDEFabcdef:.")

    /// Whether a text that the URL standard accepts is well formed already: `scheme://authority` and only legal characters,
    /// every `%` the beginning of a good `%XX`. A host that hides non-ASCII characters behind `%XX` is not: names go to the
    /// resolver as they stand, and it knows only their `xn--` form.
    static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return false
        }
        let start = colon + 3
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let hash = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let mark = bytes[end..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        return isAuthority(bytes[start..<end]) && consists(bytes[end..<mark], of: path)
            && consists(bytes[mark..<hash].dropFirst(), of: queryOrFragment)
            && consists(bytes[hash...].dropFirst(), of: queryOrFragment)
    }

    private static func isAuthority(_ authority: ArraySlice<UInt8>) -> Bool {
        var place = authority
        if let at = place.firstIndex(of: UInt8(ascii: "@")) {
            guard consists(place[..<at], of: userinfo) else { return false }
            place = place[(at + 1)...]
        }
        if place.first == UInt8(ascii: "[") {
            guard let close = place.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let port = place[(close + 1)...]
            return place[(place.startIndex + 1)..<close].allSatisfy(literal.contains)
                && (port.isEmpty || port.first == UInt8(ascii: ":")) && port.dropFirst().allSatisfy(ByteSet.digits.contains)
        }
        let colon = place.firstIndex(of: UInt8(ascii: ":")) ?? place.endIndex
        let name = place[..<colon]
        return !name.isEmpty && consists(name, of: registeredName, escapesAreASCII: true)
            && place[colon...].dropFirst().allSatisfy(ByteSet.digits.contains)
    }

    /// Whether the bytes are characters of the set and good `%XX`.
    private static func consists(_ bytes: ArraySlice<UInt8>, of set: ByteSet, escapesAreASCII: Bool = false) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if set.contains(bytes[index]) {
                index += 1
            } else if let byte = PercentEncoding.escapedByte(in: bytes, at: index), !escapesAreASCII || byte < 0x80 {
                index += 3
            } else {
                return false
            }
        }
        return true
    }
}
