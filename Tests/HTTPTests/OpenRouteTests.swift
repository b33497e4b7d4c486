// Routes that begin with a parameter, and parameters with text behind them.
import Testing

@testable import HTTP

@Suite struct OpenRouteTests {
    private let table = RouteTable([
        Route([.get], RoutePattern("/add/{key}/{slug}")), Route([.get], RoutePattern("/{name}.json")),
        Route([.get], RoutePattern("/private/{name}.json")), Route([.get], RoutePattern("/fixed.json")),
        Route([.get], RoutePattern("/{name}/random")), Route([.get, .post], RoutePattern("/files/{name}.svg")),
    ])

    private func describe(_ method: HTTP.Method, _ path: String) -> String {
        switch table.match(method, path.utf8Span.span) {
        case .route(let index, let parameters): "\(index) \(parameters.joined(separator: " "))"
        case .otherMethod(let allow): allow
        case .reserved: "reserved"
        case .unknown: "unknown"
        }
    }

    @Test(arguments: [
        ("/courses.json", "1 courses"), ("/a.json.json", "1 a.json"), ("/x%20y.json", "1 x y"), ("/fixed.json", "3 "),
        ("/private/courses.json", "2 courses"), ("/private/courses", "reserved"), ("/private", "reserved"),
        ("/private.json", "1 private"), ("/courses/random", "4 courses"), ("/add/random", "reserved"),
        ("/files/rose.svg", "5 rose"), ("/files/.svg", "reserved"), ("/files/rose.png", "reserved"),
        ("/.json", "unknown"), ("/json", "unknown"), ("/on", "unknown"), ("/slug", "unknown"), ("/courses.JSON", "unknown"),
        ("/a/b.json", "unknown"), ("/a/random/b", "unknown"), ("//random", "unknown"), ("/", "unknown"),
    ])
    func `a path finds the route that it fits, literals first`(path: String, wanted: String) {
        #expect(describe(.get, path) == wanted)
    }

    @Test func `another method is told which are allowed`() {
        #expect(describe(.post, "/courses.json") == "GET, HEAD, OPTIONS")
        #expect(describe(.head, "/courses.json") == "1 courses")
        #expect(describe(.put, "/files/a.svg") == "GET, POST, HEAD, OPTIONS")
    }

    @Test func `open routes reserve no name`() {
        #expect(Set(table.reservedNames) == ["add", "private", "fixed.json", "files"])
    }

    @Test func `an open route of one whole part takes every path of one part`() {
        let table = RouteTable([Route([.get], RoutePattern("/{any}"))])
        for path in ["/a", "/xyz", "/~"] {
            guard case .route(0, _) = table.match(.get, path.utf8Span.span) else {
                Issue.record("\(path) was not found")
                continue
            }
        }
    }
}
