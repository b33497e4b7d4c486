// What every short URL begins with.
internal import Glibc

/// An absolute http or https URL without path, as the world reaches this service: `https://s.example`.
package struct PublicURL: Equatable, Sendable {
    /// To stand after «allowed is».
    package static let allowed = #"an http or https URL with a host and no path, like "https://s.example""#

    /// Scheme and host in small letters, no slash at its end.
    package let text: String

    /// Reads a URL; nil where it is not allowed. A single slash as its path is taken off; user information, a query and a
    /// fragment are refused, and so is a host that is not ASCII: its `xn--` form is what the clients send.
    package init?(_ text: String) {
        let lowered = String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        guard let scheme = ["https://", "http://"].first(where: { lowered.hasPrefix($0) }) else { return nil }
        var rest = lowered.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard let (host, port) = Self.split(String(rest)), Self.isHost(host) else { return nil }
        if let port {
            guard port.utf8.count <= 5, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port),
                number > 0
            else { return nil }
        }
        self.text = scheme + rest
    }

    /// Whether clients reach the service by TLS.
    package var isSecure: Bool { text.hasPrefix("https:") }

    private static func split(_ authority: String) -> (host: String, port: String?)? {
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].lastIndex(of: ":") else { return (authority, nil) }
        return (String(authority[..<colon]), String(authority[authority.index(after: colon)...]))
    }

    /// A domain name of letters, digits, hyphens and underscores in parts of 1 to 63 (RFC 1035 §2.3.4), an IPv4 address, or an
    /// IPv6 address in brackets.
    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            var room = in6_addr()
            // The pointers live only for the call.
            return unsafe inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &room) == 1
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let areLegal = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
                }
        }
        guard areLegal, host.utf8.count <= 253, let last = labels.last else { return false }
        // A last part of digits makes it an IPv4 address for every browser (URL standard, «ends in a number»).
        var room = in_addr()
        return unsafe inet_pton(AF_INET, host, &room) == 1 || !last.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
