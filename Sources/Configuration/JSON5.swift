// A JSON5 document read into a tree that remembers its lines (https://spec.json5.org). Foundation reads JSON5 too, but names
// no line where it fails, and lets the last of two equal names win in silence. Numbers stay the text they are.

/// A value with the line it begins on.
struct JSON5Value: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case string(String)
        /// As written; hexadecimal ones become decimal.
        case number(String)
        case boolean(Bool)
        case null
        case array([JSON5Value])
        /// In the order of the document; no name twice.
        case object([(name: String, value: JSON5Value)])

        static func == (left: Content, right: Content) -> Bool {
            switch (left, right) {
            case (.string(let a), .string(let b)), (.number(let a), .number(let b)): a == b
            case (.boolean(let a), .boolean(let b)): a == b
            case (.null, .null): true
            case (.array(let a), .array(let b)): a == b
            case (.object(let a), .object(let b)):
                a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.value == $1.value }
            default: false
            }
        }
    }

    let content: Content
    /// Counted from 1.
    let line: Int
}

/// Where and why a text is no JSON5.
struct JSON5Error: Error, Equatable {
    let line: Int
    let reason: String
}

extension JSON5Value {
    /// Reads a whole document; nesting ends at 32 levels.
    static func parse(_ bytes: [UInt8]) throws(JSON5Error) -> JSON5Value {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSON5Error(line: 1, reason: "the file is not UTF-8 text")
        }
        var reader = JSON5Reader(text)
        return try reader.document()
    }
}
