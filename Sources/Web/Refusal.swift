// Refusals that no dialect makes itself, because they come before or instead of its routes: in the form that the path's clients take.
// They show the body as it is, or look for a member of it, and mostly at no status.
internal import HTTP

enum Refusal {
    /// The families of clients, by what their paths begin with.
    private enum Family: CaseIterable {
        case shortifier, squeeze, collections

        var beginnings: [String] {
            switch self {
            case .shortifier: ["/api-"]
            // Found without regard for letter case.
            case .squeeze: ["/squeeze.svc", "/reporting.svc"]
            case .collections: ["/courses.json", "/private/"]
            }
        }
    }

    /// `title` is for those who get a page or a problem (RFC 9457), `text` for a person. `path` as it came.
    static func response(_ status: Status, _ title: String, _ text: String, path: Span<UInt8>) -> Response {
        switch family(of: path) {
        case .shortifier: ShortifierDialect.failure(status, text)
        case .squeeze: SqueezeDialect.error(status, text)
        case .collections: Pages().problem(status, title, text, true)
        case nil:
            Response(
                status, type: "text/plain; charset=utf-8", text + "\n", fields: [("Cache-Control", "no-store")])
        }
    }

    /// nil where such a path may be answered with a page.
    static func ofNothing(path: Span<UInt8>) -> Response? {
        guard family(of: path) == .squeeze else { return nil }
        return SqueezeDialect.error(.notFound, "There is no such address; see how the short one is asked for.")
    }

    private static func family(of path: Span<UInt8>) -> Family? {
        Family.allCases.first { family in family.beginnings.contains { begins(path, with: $0.utf8Span.span) } }
    }

    private static func begins(_ path: Span<UInt8>, with beginning: Span<UInt8>) -> Bool {
        guard path.count >= beginning.count else { return false }
        for index in beginning.indices where path[index].lowercased != beginning[index] { return false }
        return true
    }
}
