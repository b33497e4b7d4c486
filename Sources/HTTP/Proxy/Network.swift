// A network of client addresses, as an administrator writes it.

/// An address with the number of its leading bits that count: `10.0.0.0/8`, `2001:db8::/32`, `127.0.0.1`, or `local` for
/// local sockets.
package struct Network: Hashable, Sendable {
    private let address: ClientAddress
    private let bits: Int
    /// Holds local sockets, and no address.
    private let isLocal: Bool

    /// Reads the notation; nil where it is none, or where the address has bits behind the prefix.
    package init?(_ text: String) {
        isLocal = text == "local"
        if isLocal {
            address = .local
            bits = 128
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = ClientAddress(String(parts[0])) else { return nil }
        var bits = 128
        if parts.count == 2 {
            // IPv4 lies in the last 32 bits of its mapped form.
            let mapped = address.isIPv4 ? 96 : 0
            guard let number = UInt8(parts[1]), parts[1].first != "+", Int(number) + mapped <= 128 else { return nil }
            bits = Int(number) + mapped
        }
        guard address.masked(bits) == address else { return nil }
        self.address = address
        self.bits = bits
    }

    /// Whether the address lies in the network.
    package func contains(_ candidate: ClientAddress) -> Bool {
        candidate == .local ? isLocal : candidate.masked(bits) == address
    }
}

/// The proxies whose word about their clients is taken.
package final class TrustedProxies: Sendable {
    private let networks: [Network]

    package init(_ networks: [Network]) { self.networks = networks }

    package func contains(_ address: ClientAddress) -> Bool { networks.contains { $0.contains(address) } }
}
