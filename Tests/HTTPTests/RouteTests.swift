import Testing

@testable import HTTP

struct RouteTests {
    private static let table = RouteTable([
        Route([.get], RoutePattern("/")), Route([.post], RoutePattern("/api-add")),
        Route([.get], RoutePattern("/add/{key}/{slug}"), stores: true), Route([.get, .post], RoutePattern("/view/list")),
        Route([.get], RoutePattern("/Mixed.svc/text/{key}", ignoringCase: true)), Route([.put], RoutePattern("/view/list")),
    ])

    private func match(_ method: HTTP.Method, _ path: String) -> String {
        switch Self.table.match(method, path.utf8Span.span) {
        case .route(let index, let parameters): "\(index) \(parameters)"
        case .otherMethod(let allow): allow
        case .reserved: "reserved"
        case .unknown: "unknown"
        }
    }

    @Test(
        arguments: [
            (.get, "/", "0 []"), (.head, "/", "0 []"), (.post, "/api-add", "1 []"), (.get, "/add/k/s", #"2 ["k", "s"]"#),
            (.get, "/view/list", "3 []"), (.post, "/view/list", "3 []"), (.put, "/view/list", "5 []"),
            (.get, "/mixed.SVC/TEXT/aB", #"4 ["aB"]"#), (.get, "/add/a%2Fb/%25%41", #"2 ["a/b", "%A"]"#),
        ] as [(HTTP.Method, String, String)])
    func `a path finds its route and its parameters, decoded once`(_ method: HTTP.Method, _ path: String, _ found: String) {
        #expect(match(method, path) == found)
    }

    @Test(
        arguments: [
            (.post, "/", "GET, HEAD, OPTIONS"), (.get, "/api-add", "POST, OPTIONS"), (.head, "/add/k/s", "GET, OPTIONS"),
            (.post, "/add/k/s", "GET, OPTIONS"), (.delete, "/view/list", "GET, POST, HEAD, OPTIONS, PUT"),
            (.options, "/view/list", "GET, POST, HEAD, OPTIONS, PUT"),
        ] as [(HTTP.Method, String, String)])
    func `another method is told which are allowed, and HEAD is not where GET stores`(
        _ method: HTTP.Method, _ path: String, _ allow: String
    ) { #expect(match(method, path) == allow) }

    @Test(arguments: [
        ("/api-add/", "reserved"), ("/API-ADD", "reserved"), ("/add", "reserved"), ("/add/k", "reserved"),
        ("/add//s", "reserved"),
        ("/add/k/", "reserved"), ("/add/k/s/x", "reserved"), ("/view", "reserved"), ("/view/List", "reserved"),
        ("/mixed.svc", "reserved"), ("/x", "unknown"), ("/api-addx", "unknown"), ("/api", "unknown"), ("//", "unknown"),
        ("//api-add", "unknown"), ("/x/api-add", "unknown"),
    ])
    func `a name of the table stays the table's where no route fits`(_ path: String, _ outcome: String) {
        #expect(match(.get, path) == outcome)
    }

    @Test func `the first parts of all routes are the reserved names`() {
        #expect(Set(Self.table.reservedNames) == ["api-add", "add", "view", "mixed.svc"])
    }
}

struct PercentDecodingTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("%41", "A"), ("%4a%4A", "JJ"), ("%zz", "%zz"), ("%4", "%4"), ("%", "%"), ("%%41", "%A"),
        ("%2541", "%41"), ("a+b", "a+b"), ("%C3%BC", "ü"), ("%FF", "\u{fffd}"), ("%00", "\0"), ("%4g%41", "%4gA"),
        ("x%", "x%"),
    ])
    func `every good triplet is decoded once, every bad one kept`(_ encoded: String, _ decoded: String) {
        #expect(decodePercent(encoded.utf8Span.span) == decoded)
    }

    @Test func `a plus is a space in a form alone`() {
        #expect(decodePercentBytes("a+%2B+b".utf8Span.span, plusIsSpace: true) == Array("a + b".utf8))
        #expect(decodePercentBytes("a+%2B".utf8Span.span) == Array("a++".utf8))
    }

    @Test func `every triplet decodes to its byte in either letter case`() {
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16)
            let triplet = "%" + String(repeating: "0", count: 2 - digits.count) + digits
            #expect(decodePercentBytes(triplet.utf8Span.span) == [byte])
            #expect(decodePercentBytes(triplet.uppercased().utf8Span.span) == [byte])
        }
    }

    private func normalized(_ path: String) -> String {
        String(decoding: normalizedPath(path.utf8Span.span), as: UTF8.self)
    }

    @Test(arguments: [
        ("/abc", "/abc"), ("/%61bc", "/abc"), ("/%7E%2d%5F%2E", "/~-_."), ("/a%2Fb", "/a%2Fb"), ("/%2561", "/%2561"),
        ("/%25", "/%25"), ("/%C3%A9", "/%C3%A9"), ("/%00", "/%00"), ("/%zz", "/%25zz"), ("/%", "/%25"),
        ("/%%36%31", "/%2561"),
    ])
    func `a normalized path has its plain letters decoded and nothing else`(_ path: String, _ wanted: String) {
        #expect(normalized(path) == wanted)
    }

    @Test func `normalizing and then decoding is decoding once`() {
        var random = Xorshift(seed: 3)
        let pieces = ["%", "2", "5", "6", "1", "a", "F", "/", "%41", "%25", "%2F", "~"]
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...8, using: &random)
            let path = (0..<count).reduce("/") { path, _ in path + (pieces.randomElement(using: &random) ?? "") }
            let once = decodePercentBytes(path.utf8Span.span)
            let normalized = normalizedPath(path.utf8Span.span)
            #expect(decodePercentBytes(normalized.span) == once, "\(path)")
        }
    }
}
