// What a server is told about TLS.

/// How connections are secured, and what clients are told of it.
package struct TransportSecurity: Sendable {
    /// For the listeners that are secure; nil where there are none.
    package var certificates: CertificateWatch?
    /// The value of `Strict-Transport-Security` (RFC 6797) in every answer over TLS; empty for none.
    package var strictTransport = ""
    /// Whether plain answers have it too, because a proxy in front does the TLS.
    package var isProxied = false

    package init() {}

    /// The field's line, as answers over TLS or over plain connections have it; empty for none.
    func line(isSecure: Bool) -> [UInt8] {
        guard !strictTransport.isEmpty, isSecure || isProxied else { return [] }
        var output = OutputBuffer(capacity: 128)
        output.append("Strict-Transport-Security: ")
        output.append(fieldValue: strictTransport)
        output.append("\r\n")
        return output.bytes.indices.map { output.bytes[$0] }
    }
}
