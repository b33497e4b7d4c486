// What a request's fields say about the form in which it wants its answer, and about the one that it has.
internal import HTTP

enum ContentNegotiation {
    /// Whether gzip was asked for and is not wanted less than no coding at all (RFC 9110 §12.5.3). Nobody who is silent gets it.
    static func wantsGzip(_ request: borrowing Request) -> Bool {
        var (gzip, identity, rest): (Int?, Int?, Int?) = (nil, nil, nil)
        request.forEachField("accept-encoding") { value in
            forEachListMember(value) { member in
                guard let text = String(asciiIn: member) else { return }
                let parts = text.lowercased().split(separator: ";", omittingEmptySubsequences: false)
                let weight = quality(parts.dropFirst())
                switch trimmed(parts[0]) {
                case "gzip", "x-gzip": gzip = max(gzip ?? 0, weight)
                case "identity": identity = weight
                case "*": rest = weight
                default: break
                }
            }
        }
        let wanted = gzip ?? rest ?? 0
        return wanted > 0 && wanted >= identity ?? 0
    }

    /// The entity tags that the client has and that could be ours, without their weakness marks: If-None-Match compares weakly (RFC 9110 §13.1.2).
    static func knownTags(_ request: borrowing Request) -> [String] {
        var tags: [String] = []
        request.forEachField("if-none-match") { value in
            forEachListMember(value) { member in
                guard let tag = String(asciiIn: member) else { return }
                tags.append(tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag)
            }
        }
        return tags
    }

    /// A weight in thousandths (RFC 9110 §12.4.2); 1,000 where none is given, 0 where it is malformed.
    private static func quality(_ parameters: ArraySlice<Substring>) -> Int {
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, trimmed(parts[0]) == "q" else { continue }
            return thousandths(trimmed(parts[1]))
        }
        return 1000
    }

    private static func thousandths(_ text: Substring) -> Int {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        let isNumber = decimals.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard parts[0] == "0" || parts[0] == "1", decimals.utf8.count <= 3, isNumber else { return 0 }
        let fraction = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0
        return min(1000, (parts[0] == "1" ? 1000 : 0) + fraction)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
