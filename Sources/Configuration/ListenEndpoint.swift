// One entry of the list of addresses to listen on: where, and how connections there are spoken with.

/// An address with what is spoken there.
package struct ListenEndpoint: Equatable, Sendable, CustomStringConvertible {
    package let address: ListenAddress
    /// Whether connections begin with a TLS handshake.
    package let isSecure: Bool
    /// Whether connections begin with the PROXY protocol's header.
    package let isBehindProxy: Bool

    /// Examples of what is understood.
    package static let allowed =
        ListenAddress.allowed + #", with "tls:" before it for HTTPS, "proxy:" for the PROXY protocol"#

    package init(_ address: ListenAddress, isSecure: Bool = false, isBehindProxy: Bool = false) {
        self.address = address
        self.isSecure = isSecure
        self.isBehindProxy = isBehindProxy
    }

    /// Reads an address with or without `proxy:` and `tls:` before it, in this order; nil where it is none.
    package init?(_ text: String) {
        let isBehindProxy = text.hasPrefix("proxy:")
        var rest = text.dropFirst(isBehindProxy ? 6 : 0)
        let isSecure = rest.hasPrefix("tls:")
        rest = rest.dropFirst(isSecure ? 4 : 0)
        guard let address = ListenAddress(String(rest)) else { return nil }
        self.init(address, isSecure: isSecure, isBehindProxy: isBehindProxy)
    }

    package var description: String { (isBehindProxy ? "proxy:" : "") + (isSecure ? "tls:" : "") + address.description }
}
