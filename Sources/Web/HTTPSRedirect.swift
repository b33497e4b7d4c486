// Sends plain requests to the same place under https, and lets everything else through to the site behind it. Only in front of
// the site where the settings ask for it.
package import HTTP

/// Answers the plain requests of one event loop by redirects.
package final class HTTPSRedirect: RequestHandler {
    /// Where they lead.
    package struct Destination: Sendable {
        /// `https://s.example:8443`.
        let origin: String
        /// `:8443`; empty for the scheme's own.
        let port: String
        /// Whether a certificate is for the host. A Host field alone leads nowhere: it is whatever the client writes.
        let covers: @Sendable (_ host: String) -> Bool

        /// `origin` is an https URL without a path.
        package init(origin: String, covers: @escaping @Sendable (_ host: String) -> Bool) {
            self.origin = origin
            self.covers = covers
            port = String(splitAuthority(origin.dropFirst("https://".count)).port)
        }
    }

    private let site: any RequestHandler
    private let destination: Destination

    package init(before site: any RequestHandler, to destination: Destination) {
        self.site = site
        self.destination = destination
    }

    package func bodyPolicy(for request: borrowing Request) -> BodyPolicy {
        redirects(request) ? .ignore : site.bodyPolicy(for: request)
    }

    package func handle(_ request: borrowing Request, _ answer: inout Answer) {
        guard redirects(request) else { return site.handle(request, &answer) }
        let isRead = request.method == .get || request.method == .head
        // 308 keeps the method and the content; but what was sent here was sent in the open, and clients are told so.
        answer.send(
            Response(
                isRead ? .movedPermanently : .permanentRedirect, type: "text/plain; charset=utf-8",
                "This service is reached by HTTPS only.\n", fields: [("Location", location(request))]))
    }

    package func refusal(_ status: Status, _ text: String, path: Span<UInt8>) -> Response {
        site.refusal(status, text, path: path)
    }

    package func expect(_ path: Span<UInt8>) { site.expect(path) }

    package func turnEnded() { site.turnEnded() }

    /// Local sockets are for programs of this machine, and so is the health check of whatever watches over it.
    private func redirects(_ request: borrowing Request) -> Bool {
        if request.isSecure || request.client == .local { return false }
        switch request.method {
        case .other, .connect: return false
        default: return String(decodingUTF8: request.path) != "/healthz"
        }
    }

    private func location(_ request: borrowing Request) -> String {
        let path = request.path.isEmpty ? "/" : String(decodingUTF8: request.path)
        let query = request.query.isEmpty ? "" : "?" + String(decodingUTF8: request.query)
        return origin(request) + path + query
    }

    private func origin(_ request: borrowing Request) -> String {
        guard let field = request.field("host") else { return destination.origin }
        let host = splitAuthority(field[...]).host
        return destination.covers(String(host)) ? "https://\(host)\(destination.port)" : destination.origin
    }
}

/// A host, and what follows it with its colon. An IPv6 address has its colons in brackets.
private func splitAuthority(_ authority: Substring) -> (host: Substring, port: Substring) {
    let start = authority.utf8.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    let end = authority[start...].utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    return (authority[..<end], authority[end...])
}
