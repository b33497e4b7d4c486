// Which handler a path belongs to. The table is made once and read by all loops; it does not know what a slug is, only that
// a path is not one of its own.

/// A route's pattern: literal parts, and parameters in braces: `/add/{key}/{slug}`, `/{name}.json`. The parameter is the whole
/// part, or all of it but the text behind the brace.
package struct RoutePattern: Sendable {
    enum Part: Sendable {
        case literal([UInt8])
        /// What follows the parameter in its part.
        case parameter(suffix: [UInt8])
    }

    let parts: [Part]
    let ignoresCase: Bool

    /// `path` begins with `/` and is plain ASCII.
    package init(_ path: String, ignoringCase ignoresCase: Bool = false) {
        self.ignoresCase = ignoresCase
        parts = path.utf8.dropFirst().split(separator: .slash, omittingEmptySubsequences: false).map { part in
            if part.first == UInt8(ascii: "{"), let brace = part.firstIndex(of: UInt8(ascii: "}")) {
                let suffix = part[(brace + 1)...]
                return .parameter(suffix: ignoresCase ? suffix.map(\.lowercased) : Array(suffix))
            }
            return .literal(ignoresCase ? part.map(\.lowercased) : Array(part))
        }
    }

    /// The first part, in lower case: the name that no slug may take. Nil for the root and for a parameter.
    package var reservedName: String? {
        guard case .literal(let bytes) = parts[0], !bytes.isEmpty else { return nil }
        return String(decoding: bytes.map(\.lowercased), as: UTF8.self)
    }

    /// Whether it begins with a parameter, and so belongs to no name.
    var isOpen: Bool { if case .parameter = parts[0] { true } else { false } }

    /// The bytes that a path of one part may end in, if such a path can fit: all, or a suffix's last one.
    var endings: [UInt8] {
        guard parts.count == 1, case .parameter(let suffix) = parts[0] else { return [] }
        guard let last = suffix.last, !ignoresCase else { return Array(UInt8.min...UInt8.max) }
        return [last]
    }

    /// The parameters' bytes, still percent-encoded, if the path's parts fit.
    func match(_ path: Span<UInt8>) -> [ByteRange]? {
        var parameters: [ByteRange] = []
        var start = 1
        for (index, part) in parts.enumerated() {
            var end = start
            while end < path.count, path[end] != .slash { end += 1 }
            guard (index == parts.count - 1) == (end >= path.count) else { return nil }
            switch part {
            case .literal(let bytes): guard isEqual(path.extracting(start..<end), bytes) else { return nil }
            case .parameter(let suffix):
                let length = end - start - suffix.count
                guard length > 0, isEqual(path.extracting(start + length..<end), suffix) else { return nil }
                parameters.append(ByteRange(start, start + length))
            }
            start = end + 1
        }
        return parameters
    }

    private func isEqual(_ bytes: Span<UInt8>, _ literal: [UInt8]) -> Bool {
        guard bytes.count == literal.count else { return false }
        for index in 0..<bytes.count {
            guard (ignoresCase ? bytes[index].lowercased : bytes[index]) == literal[index] else { return false }
        }
        return true
    }
}

/// One route: a pattern and the methods it takes. What answers is its table's owner's business.
package struct Route: Sendable {
    package let pattern: RoutePattern
    /// Without HEAD, which every GET route takes unless it stores.
    package let methods: [Method]
    /// Whether a GET changes something, so that HEAD must not be taken for it.
    package let stores: Bool

    package init(_ methods: [Method], _ pattern: RoutePattern, stores: Bool = false) {
        self.methods = methods
        self.pattern = pattern
        self.stores = stores
    }

    func takes(_ method: Method) -> Bool {
        methods.contains(method) || (method == .head && !stores && methods.contains(.get))
    }

    /// The value of `Allow` for it.
    fileprivate var allowed: [Method] {
        methods + (methods.contains(.get) && !stores ? [.head] : []) + [.options]
    }
}

/// What the table says of a request.
package enum RouteMatch {
    /// The route's index among those that the table was made of, and its parameters, percent-decoded.
    case route(Int, [String])
    /// The path is a route's, the method is not; the value of `Allow`.
    case otherMethod(allow: String)
    /// The path begins with a name of the table, and no route fits.
    case reserved
    /// The table knows nothing of it; whether it has no second part.
    case unknown(isOnePart: Bool)
}

/// All routes, by their first path part; those that begin with a parameter come last.
package struct RouteTable: Sendable {
    private var groups: [UInt64: [(index: Int, route: Route)]] = [:]
    /// By a name's first byte, a bit for each length (63 for all above): most slugs are seen to be none of the table's names by
    /// one look. The root has the empty name.
    private var lengths = [UInt64](repeating: 0, count: 32)
    /// Routes that begin with a parameter, tried after all others.
    private var open: [(index: Int, route: Route)] = []
    /// A bit for each byte that a path of one part may end in and be an open route's: most slugs end in another.
    private var openEndings: InlineArray<4, UInt64> = [0, 0, 0, 0]

    /// The first path parts of all routes, in lower case.
    package let reservedNames: [String]

    package init(_ routes: [Route]) {
        for (index, route) in routes.enumerated() {
            guard !route.pattern.isOpen else {
                open.append((index, route))
                for byte in route.pattern.endings { openEndings[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
                continue
            }
            let name = (route.pattern.reservedName ?? "").utf8Span.span
            groups[Self.hash(name), default: []].append((index, route))
            lengths[Self.initial(name, name.count)] |= Self.lengthBit(name.count)
        }
        reservedNames = routes.compactMap(\.pattern.reservedName)
    }

    /// Finds the route of a path, which begins with `/` and has no percent-encoded letter (`PathText`).
    package func match(_ method: Method, _ path: Span<UInt8>) -> RouteMatch {
        var end = 1
        while end < path.count, path[end] != .slash { end += 1 }
        let first = path.extracting(1..<end)
        if lengths[Self.initial(first, end - 1)] & Self.lengthBit(end - 1) != 0, let group = groups[Self.hash(first)] {
            if let match = Self.match(group, method, path) { return match }
            // A group is found by a hash; the name decides whether it is really the table's.
            let name = String(decodingUTF8: first).lowercased()
            if group.contains(where: { $0.route.pattern.reservedName == name }) { return .reserved }
        }
        let last = path[path.count - 1]
        guard end < path.count || openEndings[Int(last >> 6)] >> UInt64(last & 63) & 1 == 1 else {
            return .unknown(isOnePart: true)
        }
        return Self.match(open, method, path) ?? .unknown(isOnePart: end == path.count)
    }

    /// What routes say of a path; nil where none fits it.
    private static func match(
        _ routes: [(index: Int, route: Route)], _ method: Method, _ path: Span<UInt8>
    ) -> RouteMatch? {
        var allowed: [Method] = []
        for (index, route) in routes {
            guard let parameters = route.pattern.match(path) else { continue }
            if route.takes(method) { return .route(index, parameters.map { decodePercent(path.extracting($0.indices)) }) }
            allowed += route.allowed.filter { !allowed.contains($0) }
        }
        return allowed.isEmpty ? nil : .otherMethod(allow: allowed.map(\.name).joined(separator: ", "))
    }

    // FNV-1a over the lower-cased bytes: short names, no attacker can gain anything by a collision.
    private static func hash(_ name: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in name.indices { hash = (hash ^ UInt64(name[index].lowercased)) &* 0x100_0000_01b3 }
        return hash
    }

    // The lowest five bits are those in which the letters differ, whatever their case.
    private static func initial(_ name: Span<UInt8>, _ length: Int) -> Int { length == 0 ? 0 : Int(name[0] & 31) }

    private static func lengthBit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }
}
