// The header of the PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt): what a proxy says of its client before
// the first byte that the client sent. A pure function over bytes; whether the proxy may be believed is decided elsewhere.

/// What reading a header came to.
enum ProxyHeader: Equatable {
    /// Not complete; all of the bytes so far belong to it.
    case incomplete
    /// Complete after `length` bytes. `client` is nil where the connection is the proxy's own, for its health checks.
    case header(length: Int, client: ClientAddress?)
    /// No header.
    case malformed

    /// The longest one that is taken: version 2 with the extensions that proxies in use send.
    static let limit = 4096

    /// Reads the header at the start of `bytes`.
    init(_ bytes: Span<UInt8>) {
        let signature: [12 of UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]
        guard bytes.count > 0 else {
            self = .incomplete
            return
        }
        if bytes[0] == UInt8(ascii: "P") {
            self = Self.version1(bytes)
            return
        }
        for index in 0..<min(12, bytes.count) where bytes[index] != signature[index] {
            self = .malformed
            return
        }
        self = Self.version2(bytes)
    }

    /// `PROXY TCP4 192.0.2.1 192.0.2.2 51234 443` and CRLF, at most 107 bytes.
    private static func version1(_ bytes: Span<UInt8>) -> ProxyHeader {
        let most = 107
        var end = 0
        while end < bytes.count, bytes[end] != .lineFeed {
            end += 1
            if end >= most { return .malformed }
        }
        guard end < bytes.count else {
            return matchesBeginning(bytes) ? .incomplete : .malformed
        }
        guard end > 0, bytes[end - 1] == .carriageReturn else { return .malformed }
        guard let line = String(asciiIn: bytes.extracting(0..<end - 1)) else { return .malformed }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "PROXY" else { return .malformed }
        if words[1] == "UNKNOWN" { return .header(length: end + 1, client: nil) }
        guard words.count == 6, let client = address(words[2], of: words[1]), address(words[3], of: words[1]) != nil,
            isPort(words[4]), isPort(words[5])
        else { return .malformed }
        return .header(length: end + 1, client: client)
    }

    /// An address in its family's own notation, without a zone; nil for any other text and for an unknown family.
    private static func address(_ word: Substring, of family: Substring) -> ClientAddress? {
        let isIPv6 = word.utf8.contains(UInt8(ascii: ":"))
        guard family == (isIPv6 ? "TCP6" : "TCP4"), !word.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return ClientAddress(String(word))
    }

    /// Decimal digits from 0 to 65535 without a sign and without zeros in front.
    private static func isPort(_ word: Substring) -> Bool { UInt16(word).map { String($0) == word } ?? false }

    private static func matchesBeginning(_ bytes: Span<UInt8>) -> Bool {
        let word: [6 of UInt8] = [0x50, 0x52, 0x4f, 0x58, 0x59, 0x20]  // "PROXY "
        for index in 0..<min(6, bytes.count) where bytes[index] != word[index] { return false }
        return true
    }

    /// 12 bytes of signature, version and command, family and transport, the length of the rest, and the addresses.
    private static func version2(_ bytes: Span<UInt8>) -> ProxyHeader {
        guard bytes.count >= 16 else { return .incomplete }
        let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        guard bytes[12] >> 4 == 2, bytes[12] & 0x0f <= 1, length <= limit else { return .malformed }
        guard bytes.count >= length else { return .incomplete }
        // LOCAL: the proxy speaks for itself.
        if bytes[12] & 0x0f == 0 { return .header(length: length, client: nil) }
        switch bytes[13] >> 4 {
        case 1 where length >= 16 + 12:
            let parts = (0..<4).map { String(bytes[16 + $0]) }
            guard let client = ClientAddress(parts.joined(separator: ".")) else { return .malformed }
            return .header(length: length, client: client)
        case 2 where length >= 16 + 36:
            return .header(length: length, client: ClientAddress(ipv6: bytes.extracting(16..<32)))
        case 0, 3: return .header(length: length, client: nil)
        default: return .malformed
        }
    }
}
