// Who is at the other end of a connection, and whether that is a proxy whose word counts.

struct Peer {
    /// The address that the kernel saw, or that a trusted proxy named before the first request.
    var address: ClientAddress
    /// Whether the connection is by TLS to this very server.
    let isSecure: Bool
    /// Where the peer is one of the trusted proxies: all of them, to go through the chain that it reports.
    var proxies: TrustedProxies?
}
