// A URL as browsers understand it: the URL standard's basic parser and serializer (url.spec.whatwg.org, «URL parsing» and
// «URL serializing»), for http and https and without a base. Every state of the standard's machine that these two schemes can
// reach is here, as one pass for each component; other schemes are refused by name.

/// What the standard's parser makes of a text, each component in its serialised form.
struct URLRecord {
    private(set) var isSecure = false
    /// `name:password@`, with the parts that are not empty; empty where there is none.
    private(set) var userinfo: [UInt8] = []
    private(set) var host: Host
    /// Nil where it is the scheme's own.
    private(set) var port: UInt16?
    /// From the path's first slash to the end.
    private(set) var tail: [UInt8] = []

    var effectivePort: UInt16 { port ?? (isSecure ? 443 : 80) }

    /// The bytes that a browser shows as the URL's `href`: printable ASCII only.
    var serialized: [UInt8] {
        var output = Array((isSecure ? "https://" : "http://").utf8)
        output += userinfo
        output += host.serialized
        if let port { output += ":\(port)".utf8 }
        output += tail
        return output
    }

    /// Reads UTF-8 bytes from which `URLRecord.cleaned` has taken what the standard takes. Throws what makes a browser refuse it.
    init(parsing bytes: [UInt8]) throws(LongURLError) {
        let scheme = try Self.scheme(of: bytes)
        isSecure = scheme.isSecure
        // «special authority ignore slashes state»: any number of them, none too.
        let start = bytes[scheme.end...].firstIndex { !Self.isSlash($0) } ?? bytes.endIndex
        let end = bytes[start...].firstIndex(where: Self.endsAuthority) ?? bytes.endIndex
        var place = bytes[start..<end]
        if let at = place.lastIndex(of: UInt8(ascii: "@")) {
            userinfo = Self.userinfo(place[..<at])
            place = place[(at + 1)...]
        }
        let split = Self.portColon(in: place) ?? place.endIndex
        let name = place[..<split]
        if name.isEmpty { throw .noHost }
        guard let host = Host(name) else { throw .host(LongURLError.excerpt(of: name)) }
        self.host = host
        port = try Self.port(place[split...].dropFirst(), isSecure: isSecure)
        tail = URLTail.serialized(bytes[end...])
    }

    /// Without control characters and spaces at both ends, and without tabs and line breaks anywhere.
    static func cleaned(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var output = Array(bytes.drop { $0 <= 0x20 })
        while let last = output.last, last <= 0x20 { output.removeLast() }
        output.removeAll { $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
        return output
    }

    static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// The scheme and where the text after its colon begins.
    private static func scheme(of bytes: [UInt8]) throws(LongURLError) -> (isSecure: Bool, end: Int) {
        guard let first = bytes.first else { throw .empty }
        guard ByteSet.letters.contains(first), let colon = bytes.firstIndex(where: { !schemeCharacters.contains($0) }),
            bytes[colon] == UInt8(ascii: ":")
        else { throw .noScheme }
        switch String(decoding: bytes[..<colon], as: UTF8.self).lowercased() {
        case "http": return (false, colon + 1)
        case "https": return (true, colon + 1)
        default:
            // To a browser `example.com:8080/x` has the scheme `example.com`; whoever wrote it has forgotten one.
            let isPort = bytes[(colon + 1)...].first.map(ByteSet.digits.contains) == true
            if isPort, looksLikeHost(bytes[..<colon]) { throw .noScheme }
            throw .scheme(LongURLError.excerpt(of: bytes[..<colon]))
        }
    }

    /// Whether people who write these bytes at a URL's beginning mean a host: something with a dot, or `localhost` in any letter
    /// case.
    static func looksLikeHost(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.contains(UInt8(ascii: ".")) || String(decoding: bytes, as: UTF8.self).lowercased() == "localhost"
    }

    private static let schemeCharacters = ByteSet.letters.union(ByteSet.digits).union("+-.")

    /// The first colon that is not inside brackets.
    private static func portColon(in place: ArraySlice<UInt8>) -> Int? {
        var isInside = false
        for index in place.indices {
            switch place[index] {
            case UInt8(ascii: "["): isInside = true
            case UInt8(ascii: "]"): isInside = false
            case UInt8(ascii: ":") where !isInside: return index
            default: break
            }
        }
        return nil
    }

    private static func port(_ digits: ArraySlice<UInt8>, isSecure: Bool) throws(LongURLError) -> UInt16? {
        var value = 0
        for digit in digits {
            guard ByteSet.digits.contains(digit) else { throw .port(LongURLError.excerpt(of: digits)) }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
            if value > 65_535 { throw .port(LongURLError.excerpt(of: digits)) }
        }
        if digits.isEmpty || value == (isSecure ? 443 : 80) { return nil }
        return UInt16(value)
    }

    private static func userinfo(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let password = text[colon...].dropFirst()
        var output: [UInt8] = []
        PercentEncoding.append(text[..<colon], encoding: PercentEncoding.userinfo, to: &output)
        if !password.isEmpty {
            output.append(UInt8(ascii: ":"))
            PercentEncoding.append(password, encoding: PercentEncoding.userinfo, to: &output)
        }
        if !output.isEmpty { output.append(UInt8(ascii: "@")) }
        return output
    }
}
