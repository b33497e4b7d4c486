// The parameters of a request in the old dialects: looked for in the query, then in the content, which is JSON or a form.
// Decoding is strict where two readers could differ: UTF-8 only, no NUL, and of a name that occurs twice the first value counts.
internal import FoundationEssentials
internal import HTTP

/// Why a request's parameters cannot be read.
struct ParameterFault: Error {
    /// For a person.
    let message: String
}

/// Named values of one request.
struct Parameters: Sendable {
    /// A value as it was sent. Whether it is a string matters: a key of `0` or `true` is no key.
    enum Value: Equatable, Sendable, Decodable {
        case text(String)
        /// JSON null: as good as not given.
        case null
        /// A JSON number, Boolean, array or object.
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
                return
            }
            // Foundation looks into a string only now: a bad escape or a control character in it is malformed JSON, not a value
            // of another kind.
            do { self = .text(try container.decode(String.self)) } catch DecodingError.typeMismatch { self = .other }
        }
    }

    private var query: [String: Value] = [:]
    private var content: [String: Value] = [:]
    /// The content was JSON, but no object: it counts as empty, and an answer can say why something is missing.
    private(set) var contentIsNoObject = false

    init(_ request: borrowing Request) throws(ParameterFault) {
        query = try Self.form(request.query)
        guard !request.body.isEmpty else { return }
        if Self.saysJSON(request.field("content-type") ?? "") {
            try readJSON(request.body)
        } else {
            content = try Self.form(request.body)
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

    /// RFC 9110 §8.3.1: without letter case, whatever parameters follow. A charset other than UTF-8 is read as UTF-8 too: RFC
    /// 8259 §8.1 knows no other.
    private static func saysJSON(_ type: String) -> Bool { type.lowercased().hasPrefix("application/json") }

    private mutating func readJSON(_ bytes: Span<UInt8>) throws(ParameterFault) {
        // RFC 8259 §8.1: a byte order mark may be ignored.
        let hasMark = bytes.count >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf
        let text = hasMark ? bytes.extracting(3..<bytes.count) : bytes
        guard (try? UTF8Span(validating: text)) != nil else { throw Self.malformed("it is not UTF-8") }
        // UTF-16 and UTF-32 have NULs; JSON text in UTF-8 has none, and Foundation would guess.
        for index in text.indices where text[index] == 0 { throw Self.malformed("it holds a NUL byte") }
        // The bytes are read during the call only.
        let data = unsafe text.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
        do {
            content = try JSONDecoder().decode([String: Value].self, from: data)
        } catch DecodingError.typeMismatch, DecodingError.valueNotFound {
            contentIsNoObject = true
        } catch {
            throw Self.malformed("check quotes, commas and braces")
        }
    }

    private static func malformed(_ what: String) -> ParameterFault {
        ParameterFault(message: "The content is not well-formed JSON: \(what).")
    }

    /// application/x-www-form-urlencoded, as the URL standard reads it.
    private static func form(_ bytes: Span<UInt8>) throws(ParameterFault) -> [String: Value] {
        var values: [String: Value] = [:]
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

    private static func pair(_ bytes: Span<UInt8>) throws(ParameterFault) -> (String, String) {
        var equals = 0
        while equals < bytes.count, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
        let name = decodePercentBytes(bytes.extracting(0..<equals), plusIsSpace: true)
        let value = decodePercentBytes(bytes.extracting(min(equals + 1, bytes.count)..<bytes.count), plusIsSpace: true)
        guard let nameText = String(validating: name, as: UTF8.self),
            let valueText = String(validating: value, as: UTF8.self)
        else {
            throw ParameterFault(message: "A form value is not UTF-8.")
        }
        return (nameText, valueText)
    }
}
