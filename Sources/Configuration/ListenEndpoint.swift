// One entry of the list of addresses to listen on: where, and how connections there are spoken with.

/// An address with what is spoken there.
package struct ListenEndpoint: Equatable, Sendable, CustomStringConvertible {
    package let address: ListenAddress
    /// Whether connections begin with a TLS handshake.
    package let isSecure: Bool

    /// Examples of what is understood.
    package static let allowed = ListenAddress.allowed + #", with "tls:" before it for HTTPS"#

    package init(_ address: ListenAddress, isSecure: Bool = false) {
        self.address = address
        self.isSecure = isSecure
    }

    /// Reads an address with or without `tls:` before it; nil where it is none.
    package init?(_ text: String) {
        let isSecure = text.hasPrefix("tls:")
        guard let address = ListenAddress(isSecure ? String(text.dropFirst(4)) : text) else { return nil }
        self.init(address, isSecure: isSecure)
    }

    package var description: String { isSecure ? "tls:\(address)" : address.description }
}
