// The parameters of a request in the old dialects: looked for in the query, then in the content, which is JSON or a form.
// Decoding is strict where two readers could differ: UTF-8 only, no NUL, and of a name that occurs twice the first value counts.
internal import HTTP
internal import JSON

/// Why a request's parameters cannot be read.
struct ParameterFault: Error {
    /// For a person.
    let message: String
}

/// Named values of one request.
struct Parameters: Sendable {
    /// A value as it was sent. Whether it is a string matters: a key of `0` or `true` is no key.
    enum Value: Equatable, Sendable {
        case text(String)
        /// JSON null: as good as not given.
        case null
        /// A JSON number, Boolean, array or object.
        case other
    }

    // By bytes: Swift hashes and compares texts by their normal form, and to find that of a long run of combining characters
    // takes a time that grows with its square, minutes for a body of 1 MiB.
    private var query: [[UInt8]: Value] = [:]
    private var content: [[UInt8]: Value] = [:]
    /// The content was JSON, but no object: it counts as empty, and an answer can say why something is missing.
    private(set) var contentIsNoObject = false
    /// The content was read as a form, as its type says, but begins as a JSON object does.
    private(set) var formLooksLikeJSON = false

    init(_ request: borrowing Request) throws(ParameterFault) {
        query = try Self.form(request.query)
        guard !request.body.isEmpty else { return }
        let type = request.field("content-type") ?? ""
        if Self.says("multipart/", type) {
            throw ParameterFault(
                message:
                    "A multipart form is not understood; send it as application/x-www-form-urlencoded (curl -d), or as JSON."
            )
        }
        if Self.says("application/json", type) {
            try readJSON(request.body)
        } else {
            content = try Self.form(request.body)
            var scanner = JSONScanner(request.body)
            formLooksLikeJSON = scanner.peek() == UInt8(ascii: "{")
        }
    }

    /// Of a query alone; throws where it is not UTF-8.
    init(query: Span<UInt8>) throws(ParameterFault) { self.query = try Self.form(query) }

    /// Of a query alone, without those that are not UTF-8: for routes that ignore what they do not know.
    init(readableIn query: Span<UInt8>) {
        Self.forEachPair(query) { bytes in
            if let (name, value) = try? Self.pair(bytes), self.query[name] == nil { self.query[name] = .text(value) }
        }
    }

    /// The first value of a name; nil where there is none, or it is null.
    subscript(name: String) -> Value? {
        let name = Array(name.utf8)
        let value = query[name] ?? content[name]
        return value == .null ? nil : value
    }

    /// The value as text; nil where it is absent or null. Throws where it is something else.
    func text(_ name: String) throws(ParameterFault) -> String? {
        switch self[name] {
        case .text(let text): return text
        case .other: throw ParameterFault(message: "\"\(name)\" must be a string.")
        case .null, nil: return nil
        }
    }

    /// The value as text that is shown to people; throws where it holds a NUL, which no reader of a database expects.
    func line(_ name: String) throws(ParameterFault) -> String? {
        let text = try text(name)
        guard text?.utf8.contains(0) != true else { throw ParameterFault(message: "\"\(name)\" must not hold a NUL.") }
        return text
    }

    /// Whether a media type is the one that begins so, in lower case. RFC 9110 §8.3.1: without letter case, whatever parameters
    /// follow. A charset other than UTF-8 is read as UTF-8 too: RFC 8259 §8.1 knows no other for JSON, and WHATWG URL §5 none for
    /// forms.
    private static func says(_ beginning: String, _ type: String) -> Bool {
        type.utf8.prefix(beginning.utf8.count).map(\.lowercased).elementsEqual(beginning.utf8)
    }

    private mutating func readJSON(_ bytes: Span<UInt8>) throws(ParameterFault) {
        // RFC 8259 §8.1: a byte order mark may be ignored.
        let hasMark = bytes.count >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf
        let text = hasMark ? bytes.extracting(3..<bytes.count) : bytes
        guard (try? UTF8Span(validating: text)) != nil else { throw Self.malformed("it is not UTF-8") }
        // UTF-16 and UTF-32 have NULs; JSON text in UTF-8 has none, and Foundation would guess.
        for index in text.indices where text[index] == 0 { throw Self.malformed("it holds a NUL byte") }
        do throws(JSONFault) {
            try readJSON(JSONScanner(text))
        } catch {
            throw Self.malformed(error.reason)
        }
    }

    private mutating func readJSON(_ whole: consuming JSONScanner) throws(JSONFault) {
        var scanner = whole
        var values: [[UInt8]: Value] = [:]
        if scanner.peek() == UInt8(ascii: "{") {
            var buffer: [UInt8] = []
            try scanner.members(&buffer) { scanner, name, buffer throws(JSONFault) in
                let name = Array(buffer[name])
                buffer.removeAll(keepingCapacity: true)
                let value = try Self.value(&scanner, &buffer)
                if values[name] == nil { values[name] = value }
                buffer.removeAll(keepingCapacity: true)
            }
        } else {
            try scanner.skipValue()
            contentIsNoObject = true
        }
        try scanner.expectEnd()
        content = values
    }

    private static func value(_ scanner: inout JSONScanner, _ buffer: inout [UInt8]) throws(JSONFault) -> Value {
        if scanner.takeNull() { return .null }
        guard scanner.peek() == UInt8(ascii: "\"") else {
            try scanner.skipValue()
            return .other
        }
        let place = try scanner.string(&buffer)
        return .text(String(decoding: buffer[place], as: UTF8.self))
    }

    private static func malformed(_ what: String) -> ParameterFault {
        ParameterFault(message: "The content is not well-formed JSON: \(what).")
    }

    /// application/x-www-form-urlencoded, as the URL standard reads it.
    private static func form(_ bytes: Span<UInt8>) throws(ParameterFault) -> [[UInt8]: Value] {
        var values: [[UInt8]: Value] = [:]
        try forEachPair(bytes) { bytes throws(ParameterFault) in
            let (name, value) = try pair(bytes)
            if values[name] == nil { values[name] = .text(value) }
        }
        return values
    }

    private static func forEachPair<Failure: Error>(
        _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 0
        for at in 0...bytes.count where at == bytes.count || bytes[at] == UInt8(ascii: "&") {
            if at > start { try body(bytes.extracting(start..<at)) }
            start = at + 1
        }
    }

    private static func pair(_ bytes: Span<UInt8>) throws(ParameterFault) -> (name: [UInt8], value: String) {
        var equals = 0
        while equals < bytes.count, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
        let name = decodePercentBytes(bytes.extracting(0..<equals), plusIsSpace: true)
        let value = decodePercentBytes(bytes.extracting(min(equals + 1, bytes.count)..<bytes.count), plusIsSpace: true)
        guard (try? UTF8Span(validating: name.span)) != nil, let text = String(validating: value, as: UTF8.self) else {
            throw ParameterFault(message: "A form value is not UTF-8.")
        }
        return (name, text)
    }
}
