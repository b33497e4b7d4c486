// A network of proxies, as a person writes it. Only whether it is one is decided here.
internal import Glibc

/// An address, a network like `10.0.0.0/8`, or `local` for local sockets.
package struct ProxyNetwork: Equatable, Sendable, CustomStringConvertible {
    /// As it was written.
    package let description: String

    /// Examples of what is understood.
    package static let allowed = #""127.0.0.1", "10.0.0.0/8", "2001:db8::/32" or "local" (local sockets)"#

    /// Reads the notation; nil where it is none, or where an address has bits behind the prefix.
    package init?(_ text: String) {
        description = text
        if text == "local" { return }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = Self.bytes(String(parts[0])) else { return nil }
        guard parts.count == 2 else { return }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(parts[1]), bits <= bytes.count * 8,
            Self.isEmpty(bytes, behind: bits)
        else { return nil }
    }

    /// The address in network order: 4 bytes or 16.
    private static func bytes(_ text: String) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            // inet_pton(3) writes as many bytes as the family's addresses have.
            if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    private static func isEmpty(_ bytes: [UInt8], behind bits: Int) -> Bool {
        bytes.indices.allSatisfy { index in
            let kept = max(0, min(8, bits - index * 8))
            return bytes[index] & (kept == 8 ? 0 : 0xff >> UInt8(kept)) == 0
        }
    }
}
