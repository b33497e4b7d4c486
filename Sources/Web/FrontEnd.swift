// The program as one event loop sees it: a request is a route's, or a slug's, or nothing's. One instance a loop, on that
// loop's thread. It must not block; whatever asks the store does so by way of a ticket.
package import HTTP
internal import Shortening

/// Answers the requests of one event loop.
package final class FrontEnd: RequestHandler {
    private let services: Services
    private let routes: RouteTable
    private let actions: [RouteAction]
    private let redirects: RedirectDesk

    /// `pages` say what answers which path.
    package init(services: Services, pages: SiteMap) {
        self.services = services
        routes = pages.table
        actions = pages.actions
        redirects = RedirectDesk(services)
    }

    package func bodyPolicy(for request: borrowing Request) -> BodyPolicy {
        var policy = BodyPolicy.ignore
        withPath(of: request) { path in
            if case .route = routes.match(request.method, path) { policy = .gather }
        }
        // The content of a GET means nothing to any route, but a client that sends one deserves its answer all the same.
        if request.method == .get || request.method == .head { policy = .gather }
        return policy
    }

    package func refusal(_ status: Status, _ text: String, path: Span<UInt8>) -> Response {
        Refusal.response(status, "\(status.reason)", text, path: path)
    }

    package func expect(_ path: Span<UInt8>) {
        // Nothing longer is a slug, and to hash it would cost more than it can save.
        if path.count > 1, path.count <= 256 { redirects.expect(path.extracting(1..<path.count)) }
    }

    package func handle(_ request: borrowing Request, _ answer: inout Answer) {
        switch request.method {
        case .other, .connect:
            return answer.send(plain(.notImplemented, "This method is not understood here.\n", closes: true))
        case .options where request.path.isEmpty:
            return answer.send(Response(.noContent, fields: [("Allow", "GET, HEAD, POST, OPTIONS")]))
        default: break
        }
        if request.head.hasPercent {
            handle(request, path: normalizedPath(request.path).span, &answer)
        } else {
            handle(request, path: request.path, &answer)
        }
    }

    package func turnEnded() { redirects.askStore() }

    private func handle(_ request: borrowing Request, path whole: Span<UInt8>, _ answer: inout Answer) {
        let path = trimmed(whole)
        switch path.isEmpty ? routes.match(request.method, "/".utf8Span.span) : routes.match(request.method, path) {
        case .route(let index, let parameters): actions[index](services, request, parameters, &answer)
        case .otherMethod(let allow): refuseMethod(request, allow: allow, path: path, &answer)
        case .reserved: answer.send(Refusal.ofNothing(path: path) ?? services.pages.notFound(request))
        case .unknown(isOnePart: true): follow(path, request, &answer)
        case .unknown(isOnePart: false): answer.send(Refusal.ofNothing(path: path) ?? services.pages.notFound(request))
        }
    }

    /// `path` is a slash and what may be a slug.
    private func follow(_ path: Span<UInt8>, _ request: borrowing Request, _ answer: inout Answer) {
        switch request.method {
        case .get, .head: redirects.follow(path.extracting(1..<path.count), request, &answer)
        default: refuseMethod(request, allow: "GET, HEAD, OPTIONS", path: path, &answer)
        }
    }

    private func refuseMethod(_ request: borrowing Request, allow: String, path: Span<UInt8>, _ answer: inout Answer) {
        if request.method == .options { return answer.send(Response(.noContent, fields: [("Allow", allow)])) }
        var response = Refusal.response(
            .methodNotAllowed, "Not allowed", "This method is not allowed here. Allowed: \(allow).", path: path)
        response.fields.append(("Allow", allow))
        answer.send(response)
    }

    private func plain(_ status: Status, _ text: String, closes: Bool = false) -> Response {
        var response = Response(status, type: "text/plain; charset=utf-8", text)
        response.closes = closes
        return response
    }

    private func withPath(of request: borrowing Request, _ body: (Span<UInt8>) -> Void) {
        if request.path.isEmpty {
            body("/".utf8Span.span)
        } else if request.head.hasPercent {
            body(trimmed(normalizedPath(request.path).span))
        } else {
            body(trimmed(request.path))
        }
    }

    /// Without one slash at the end, so that `/slug/` is `/slug`.
    @_lifetime(copy path)
    private func trimmed(_ path: Span<UInt8>) -> Span<UInt8> {
        let last = path.count - 1
        guard last > 0, path[last] == UInt8(ascii: "/"), path[last - 1] != UInt8(ascii: "/") else { return path }
        return path.extracting(0..<last)
    }
}
