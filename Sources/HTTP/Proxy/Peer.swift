// Who is at the other end of a connection, and whether that is a proxy whose word counts.

/// One a connection; a class so that handing it on with each request costs no copy.
final class Peer: Sendable {
    /// The address that the kernel saw, or that a trusted proxy named before the first request.
    let address: ClientAddress
    /// Whether the connection is by TLS to this very server.
    let isSecure: Bool
    /// Where the peer is one of the trusted proxies: all of them, to go through the chain that it reports.
    let proxies: TrustedProxies?

    init(address: ClientAddress, isSecure: Bool, proxies: TrustedProxies? = nil) {
        self.address = address
        self.isSecure = isSecure
        self.proxies = proxies
    }
}
