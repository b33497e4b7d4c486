// The pages that people see. Plain HTML without script; everything that came from outside is escaped on its way in. Short
// answers have a JSON form for programs.
internal import HTTP
internal import Shortening

/// Makes pages. Any thread.
struct Pages: Sendable {
    /// No script, no frames, nothing from elsewhere; the style sheet is our own.
    private static let safety: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ]

    /// A whole page with this content inside its body; `title` is text, `content` is HTML.
    func page(_ status: Status, title: String, styleSheet: String = "style.css", content: String) -> Response {
        Response(
            status, type: "text/html; charset=utf-8",
            Self.opening(title: title, styleSheet: styleSheet) + content + Self.closing, fields: Self.safety)
    }

    /// A page that is made piece by piece; the source writes `opening` and `closing` itself.
    func page(_ status: Status, _ content: Response.Body) -> Response {
        Response(status, type: "text/html; charset=utf-8", content: content, fields: Self.safety)
    }

    static func opening(title: String, styleSheet: String = "style.css") -> String {
        """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex"><title>\(escaped(title))</title>
        <link rel="stylesheet" href="/assets/\(styleSheet)">
        </head>
        <body><main>

        """
    }

    static let closing = "\n</main></body>\n</html>\n"

    /// What the service is, for whoever opens its root.
    func home() -> Response {
        page(
            .ok, title: "Shorty",
            content: """
                <h1>Shorty</h1>
                <p>This is a URL shortener. A short URL of this service leads on to a longer one.</p>
                <p>Programs add links with <code>POST /api-add</code>; people who may add links have a key for it.</p>
                """)
    }

    /// Nothing is here. HTML for people, JSON for whoever asks for it.
    func notFound(_ request: borrowing Request) -> Response { notFound(wantsJSON: Self.prefersJSON(request)) }

    func notFound(wantsJSON: Bool) -> Response { wantsJSON ? Self.missingForPrograms : Self.missing }

    // Made once: whoever tries slugs at random gets nothing else.
    private static let missing = makeMissing(wantsJSON: false)
    private static let missingForPrograms = makeMissing(wantsJSON: true)

    private static func makeMissing(wantsJSON: Bool) -> Response {
        Pages().problem(
            .notFound, "Not found", "There is no such link here. Check the address, also its capital letters.", wantsJSON)
    }

    /// The store cannot answer; never to be taken for «there is no such link».
    func storeFailed(_ error: StoreError, wantsJSON: Bool) -> Response {
        var response = problem(error.status, "Out of order", error.message, wantsJSON)
        response.fields.append(("Retry-After", "1"))
        return response
    }

    /// A page that says what is wrong; the text is plain.
    func problem(_ status: Status, _ title: String, _ text: String, _ wantsJSON: Bool = false) -> Response {
        if wantsJSON {
            let body = "{\"status\":\(status.rawValue),\"title\":\(jsonText(title)),\"detail\":\(jsonText(text))}\n"
            // RFC 9457 names these members and this type.
            return Response(status, type: "application/problem+json", body, fields: [("Cache-Control", "no-store")])
        }
        return page(status, title: title, content: "<h1>\(Self.escaped(title))</h1>\n<p>\(Self.escaped(text))</p>")
    }

    /// Whether the client names JSON among what it accepts, and not HTML.
    static func prefersJSON(_ request: borrowing Request) -> Bool {
        var (json, html) = (false, false)
        request.forEachField("accept") { value in
            forEachListMember(value) { member in
                guard let text = String(asciiIn: member) else { return }
                let type = text.lowercased().prefix { $0 != ";" && $0 != " " }
                if type == "application/json" || type.hasSuffix("+json") { json = true }
                if type == "text/html" || type == "application/xhtml+xml" { html = true }
            }
        }
        return json && !html
    }

    /// Text as it may stand in an element and in a quoted attribute.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension StoreError {
    /// The one table from a store's error to an HTTP status.
    var status: Status {
        switch self {
        case .busy, .closed: .serviceUnavailable
        case .full: .insufficientStorage
        case .readOnly, .displaced, .unusable, .failed: .serviceUnavailable
        }
    }
}
