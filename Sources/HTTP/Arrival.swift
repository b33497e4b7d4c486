// A connection that was accepted and has no loop yet.

struct Arrival: Sendable {
    let descriptor: Int32
    let client: ClientAddress
    /// As whom the census counted it; nil where it did not.
    var countedAs: ClientAddress?
    /// Whether it begins with a TLS handshake.
    let isSecure: Bool
    /// Whether the PROXY protocol's header comes first.
    var hasPreface = false
}
