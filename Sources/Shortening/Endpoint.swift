// Whom a URL's connection reaches, so that a URL of this service can be told from others however it is spelt.

/// A host and a port.
package struct Endpoint: Hashable, Sendable {
    /// Lower-case ASCII as the URL standard writes it (IPv6 in brackets), without the dot that may end a domain name.
    package let host: String
    /// The one written, or the scheme's own.
    package let port: UInt16
}

extension LongURL {
    /// Where a browser would connect to; nil where the text came from the store and is no URL after all.
    package var endpoint: Endpoint? { resolved?.endpoint }

    /// Whether the URL points at the service whose public URL is given: the same host, and the same port or each the one of its
    /// scheme, since a service on both http and https is one. Paths are not looked at.
    package func leads(to service: LongURL) -> Bool {
        guard let mine = resolved, let other = service.resolved, mine.endpoint.host == other.endpoint.host else {
            return false
        }
        return mine.endpoint.port == other.endpoint.port || mine.isSchemePort && other.isSchemePort
    }

    private var resolved: (endpoint: Endpoint, isSchemePort: Bool)? {
        guard let record = try? URLRecord(parsing: URLRecord.cleaned(text.utf8)) else { return nil }
        var host = record.host.serialized
        if host.count > 1, host.last == UInt8(ascii: ".") { host.removeLast() }
        let endpoint = Endpoint(host: String(decoding: host, as: UTF8.self), port: record.effectivePort)
        return (endpoint, record.port == nil)
    }
}
