// What a line of a JSON lines file means: a link, or a collection. The names of the keys stand here and in `JSONLineWriter`.
//
//   {"slug": text, "url": text, "title": text, "description": text, "tags": [text], "created": time, "clicks": number, "listed": bool,
//    "owner": text, "expires": time, "removed": time, "squeezed": bool,
//    "collections": [{"name": text, "position": number} or text], "events": [{"start": day, "end": day,
//    "instructors": text, "location": text}]}
//   {"collection": text, "public": bool, "created": time}
//
// A time is a text like 2030-01-31T12:00:00Z, or seconds since 1970. All keys but slug and url, or collection, may be left out;
// null means the same.
internal import JSON
internal import Shortening

/// Reads one line into fields.
struct JSONLine {
    private(set) var fields = LinkFields()
    /// The texts of the fields.
    private(set) var text: [UInt8] = []
    /// Keys that nobody knows, of this and earlier lines; a few at most.
    private(set) var unknownNames: [String] = []

    private static let unknownLimit = 20

    private enum Key: String {
        case slug, url, title, description, tags, created, clicks, listed, owner, expires, removed, squeezed, collections,
            events
        case collection
        case `public`
    }

    /// Throws what is wrong with the line.
    mutating func read(_ line: Span<UInt8>, number: Int) throws(JSONFault) {
        fields.clear()
        fields.line = number
        text.removeAll(keepingCapacity: true)
        guard (try? UTF8Span(validating: line)) != nil else { throw JSONFault(reason: "it is not UTF-8 text") }
        var scanner = JSONScanner(line)
        if scanner.peek() == UInt8(ascii: "[") {
            throw JSONFault(
                reason: "an array begins there; write one object a line, with no brackets around them and no commas between"
            )
        }
        // The scanner lends out the buffer that the fields lie in, so it cannot be reached through `self` meanwhile.
        var buffer = text
        text = []
        defer { text = buffer }
        var seen: [Key] = []
        var unknown: [String] = []
        try scanner.members(&buffer) { scanner, name, text throws(JSONFault) in
            let word = text.span.extracting(name).text
            text.removeLast(name.count)
            guard let key = Key(rawValue: word) else {
                note(word)
                unknown.append(word)
                return try scanner.skipValue()
            }
            guard !seen.contains(key) else { throw JSONFault(reason: "the key \(word) stands there twice") }
            seen.append(key)
            if scanner.takeNull() { return }
            try take(key, &scanner, &text)
        }
        try scanner.expectEnd()
        try checkKeys(seen, unknown)
    }

    /// Stands on a line that is not read.
    mutating func skip(to number: Int) {
        fields.clear()
        fields.line = number
    }

    private func checkKeys(_ seen: [Key], _ unknown: [String]) throws(JSONFault) {
        if seen.contains(.collection) {
            guard !seen.contains(.url), !seen.contains(.slug) else {
                throw JSONFault(reason: "it is both a link and a collection; a link's collections stand under collections")
            }
            return
        }
        let renamings = ForeignName.renamings(of: unknown, beside: seen.map(\.rawValue))
        if !seen.contains(.url) || !seen.contains(.slug) {
            let missing = seen.contains(.slug) ? "url" : "slug"
            throw JSONFault(reason: "it has no \(missing)" + (renamings.map { "; rename \($0)" } ?? ""))
        }
        if let renamings { throw JSONFault(reason: "it has another shortener's keys; rename \(renamings)") }
    }

    private mutating func note(_ name: String) {
        let shown = LongURLError.excerpt(of: Array(name.utf8)[...])
        if unknownNames.count < Self.unknownLimit, !unknownNames.contains(shown) { unknownNames.append(shown) }
    }

    private mutating func take(
        _ key: Key, _ scanner: inout JSONScanner, _ text: inout [UInt8]
    ) throws(JSONFault) {
        switch key {
        case .slug: fields.slug = try scanner.string(&text)
        case .url: fields.longURL = try scanner.string(&text)
        case .title: fields.title = try scanner.string(&text)
        case .description: fields.description = try scanner.string(&text)
        case .owner: fields.owner = try scanner.string(&text)
        case .created: fields.created = try Self.time(&scanner, &text)
        case .expires: fields.expires = try Self.time(&scanner, &text)
        case .removed: fields.removed = try Self.time(&scanner, &text)
        case .listed, .public: fields.isListed = try scanner.bool()
        case .squeezed: fields.isSqueezed = try scanner.bool()
        case .clicks:
            fields.clicks = try scanner.wholeNumber()
            if fields.clicks < 0 { throw JSONFault(reason: "clicks is less than nothing") }
        case .collection:
            fields.isCollection = true
            fields.slug = try scanner.string(&text)
        case .tags:
            var tags: [Range<Int>] = []
            try scanner.elements(&text) { scanner, text throws(JSONFault) in tags.append(try scanner.string(&text)) }
            fields.tags = tags
        case .collections: fields.memberships = try Self.memberships(&scanner, &text)
        case .events: fields.events = try Self.events(&scanner, &text)
        }
    }

    private static func time(_ scanner: inout JSONScanner, _ text: inout [UInt8]) throws(JSONFault) -> Int64 {
        if scanner.peek() != UInt8(ascii: "\"") { return try scanner.wholeNumber() }
        let place = try scanner.string(&text)
        guard let seconds = Timestamp.seconds(text.span.extracting(place)) else {
            throw JSONFault(reason: "a time is not written like 2030-01-31T12:00:00Z")
        }
        text.removeLast(place.count)
        return seconds
    }

    private static func memberships(
        _ scanner: inout JSONScanner, _ text: inout [UInt8]
    ) throws(JSONFault) -> [(name: Range<Int>, position: Int64?)] {
        var found: [(name: Range<Int>, position: Int64?)] = []
        try scanner.elements(&text) { scanner, text throws(JSONFault) in
            if scanner.peek() == UInt8(ascii: "\"") { return found.append((try scanner.string(&text), nil)) }
            var name: Range<Int>?
            var position: Int64?
            try scanner.members(&text) { scanner, key, text throws(JSONFault) in
                switch text.span.extracting(key).text {
                case "name": name = try scanner.string(&text)
                case "position": position = try scanner.wholeNumber()
                default: throw JSONFault(reason: "a collection has a key other than name and position")
                }
            }
            guard let name else { throw JSONFault(reason: "a collection has no name") }
            found.append((name, position))
        }
        return found
    }

    private static func events(
        _ scanner: inout JSONScanner, _ text: inout [UInt8]
    ) throws(JSONFault) -> [(Range<Int>, Range<Int>, Range<Int>, Range<Int>)] {
        var found: [(Range<Int>, Range<Int>, Range<Int>, Range<Int>)] = []
        try scanner.elements(&text) { scanner, text throws(JSONFault) in
            var (start, end): (Range<Int>?, Range<Int>?)
            var (instructors, location) = (0..<0, 0..<0)
            try scanner.members(&text) { scanner, key, text throws(JSONFault) in
                switch text.span.extracting(key).text {
                case "start": start = try scanner.string(&text)
                case "end": end = try scanner.string(&text)
                case "instructors": instructors = try scanner.string(&text)
                case "location": location = try scanner.string(&text)
                default: throw JSONFault(reason: "an event has a key other than start, end, instructors and location")
                }
            }
            guard let start, let end else { throw JSONFault(reason: "an event has no start or no end") }
            found.append((start, end, instructors, location))
        }
        return found
    }
}
