// Holds each client to so many requests a minute, whatever they ask for. Only in front of the site where the settings ask for it,
// so that it costs nothing where they do not. The health check is never held up.
package import HTTP

/// Answers 429 to those who ask too much, and lets everything else through to the site of one event loop.
package final class RequestBrake: RequestHandler {
    private let site: any RequestHandler
    private let meter: RequestMeter

    /// `meter` is shared by all loops.
    package init(before site: any RequestHandler, _ meter: RequestMeter) {
        self.site = site
        self.meter = meter
    }

    /// Content is gathered as ever: by the time it has come, the client may ask again.
    package func bodyPolicy(for request: borrowing Request) -> BodyPolicy { site.bodyPolicy(for: request) }

    package func handle(_ request: borrowing Request, _ answer: inout Answer) {
        guard !isHealthCheck(request), let seconds = meter.count(request.client) else {
            return site.handle(request, &answer)
        }
        var response = Refusal.response(
            .tooManyRequests, "Too many requests", "Too many requests from your address. Try again in \(seconds) seconds.",
            path: request.path)
        response.fields.append(("Retry-After", "\(seconds)"))
        answer.send(response)
    }

    package func refusal(_ status: Status, _ text: String, path: Span<UInt8>) -> Response {
        site.refusal(status, text, path: path)
    }

    package func expect(_ path: Span<UInt8>) { site.expect(path) }

    package func turnEnded() { site.turnEnded() }

    private func isHealthCheck(_ request: borrowing Request) -> Bool {
        let (path, name) = (request.path, "/healthz".utf8Span.span)
        guard path.count == name.count else { return false }
        for index in path.indices where path[index] != name[index] { return false }
        return true
    }
}
