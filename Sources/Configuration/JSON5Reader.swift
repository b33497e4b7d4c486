// The reading itself: recursive descent over Unicode scalars, one function for each rule of the grammar.

/// Reads one document. Stops at the first fault.
struct JSON5Reader {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var line = 1

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { position = 1 }
    }

    mutating func document() throws(JSON5Error) -> JSON5Value {
        let value = try value(depth: 0)
        try skipBlanks()
        if position < scalars.count { throw fault("something follows the end of the document") }
        return value
    }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func fault(_ reason: String) -> JSON5Error { JSON5Error(line: line, reason: reason) }

    /// What stands here, for messages.
    private var here: String { current.map { quoted(String($0)) } ?? "the end of the file" }

    private mutating func value(depth: Int) throws(JSON5Error) -> JSON5Value {
        try skipBlanks()
        if depth > 32 { throw fault("the nesting is deeper than 32 levels") }
        let start = line
        switch current {
        case "{": return JSON5Value(content: .object(try members(depth: depth)), line: start)
        case "[": return JSON5Value(content: .array(try elements(depth: depth)), line: start)
        case "\"", "'": return JSON5Value(content: .string(try string()), line: start)
        default: return JSON5Value(content: try word(), line: start)
        }
    }

    private mutating func members(depth: Int) throws(JSON5Error) -> [(name: String, value: JSON5Value)] {
        var members: [(name: String, value: JSON5Value)] = []
        var names: Set<String> = []
        position += 1
        while true {
            try skipBlanks()
            if take("}") { return members }
            let name = try name()
            if !names.insert(name).inserted { throw fault("\(quoted(name)) is given twice") }
            try skipBlanks()
            if !take(":") { throw fault("a colon is missing after \(quoted(name)), before \(here)") }
            members.append((name, try value(depth: depth + 1)))
            try skipBlanks()
            if !take(","), current != "}" { throw fault("a comma or } is missing before \(here)") }
        }
    }

    private mutating func elements(depth: Int) throws(JSON5Error) -> [JSON5Value] {
        var elements: [JSON5Value] = []
        position += 1
        while true {
            try skipBlanks()
            if take("]") { return elements }
            elements.append(try value(depth: depth + 1))
            try skipBlanks()
            if !take(","), current != "]" { throw fault("a comma or ] is missing before \(here)") }
        }
    }

    private mutating func name() throws(JSON5Error) -> String {
        if current == "\"" || current == "'" { return try string() }
        let start = position
        while let scalar = current, Self.isNamePart(scalar), position > start || !Self.isDigit(scalar) { position += 1 }
        if position == start { throw fault("a name is missing before \(here); names with a hyphen need quotes") }
        if current == "-" { throw fault("a name with a hyphen needs quotes") }
        return text(from: start)
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() throws(JSON5Error) -> JSON5Value.Content {
        let start = position
        while let scalar = current, Self.isNamePart(scalar) || scalar == "+" || scalar == "-" || scalar == "." {
            position += 1
        }
        let word = text(from: start)
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        case "": throw fault("a value is missing before \(here)")
        default:
            guard let number = Self.number(word) else { throw fault("\(quoted(word)) is no value; texts need quotes") }
            return .number(number)
        }
    }

    /// The text of a number, or nil where the word is none.
    private static func number(_ word: String) -> String? {
        let isNegative = word.hasPrefix("-")
        let unsigned = isNegative || word.hasPrefix("+") ? String(word.dropFirst()) : word
        let sign = isNegative ? "-" : ""
        if unsigned == "Infinity" || unsigned == "NaN" { return sign + unsigned }
        if unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X") {
            let digits = unsigned.dropFirst(2)
            return digits.utf8.first == UInt8(ascii: "+") ? nil : UInt64(digits, radix: 16).map { sign + String($0) }
        }
        var rest = unsigned.utf8[...]
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        if startsWithZero, whole > 1 { return nil }
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = digits()
        }
        if whole + fraction == 0 { return nil }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            if digits() == 0 { return nil }
        }
        return rest.isEmpty ? sign + unsigned : nil
    }

    private mutating func string() throws(JSON5Error) -> String {
        let quote = current
        var result = String.UnicodeScalarView()
        position += 1
        while let scalar = current {
            position += 1
            switch scalar {
            case quote: return String(result)
            case "\\": try escape(into: &result)
            case "\n", "\r": throw fault("a text does not end on its line")
            default: result.append(scalar)
            }
        }
        throw fault("a text does not end")
    }

    private mutating func escape(into result: inout String.UnicodeScalarView) throws(JSON5Error) {
        guard let scalar = current else { throw fault("a text does not end") }
        position += 1
        switch scalar {
        case "n": result.append("\n")
        case "r": result.append("\r")
        case "t": result.append("\t")
        case "b": result.append("\u{8}")
        case "f": result.append("\u{C}")
        case "v": result.append("\u{B}")
        case "x": result.append(try self.scalar(digits: 2))
        case "u": result.append(try self.scalar(digits: 4))
        case "0" where !(current.map(Self.isDigit) ?? false): result.append("\0")
        case "0"..."9": throw fault("\\\(scalar) means nothing in a text")
        // A line that goes on.
        case "\r":
            if current == "\n" { position += 1 }
            line += 1
        case "\n", "\u{2028}", "\u{2029}": line += 1
        default: result.append(scalar)
        }
    }

    /// The scalar of a `\x` or `\u` escape; of two that make a surrogate pair together.
    private mutating func scalar(digits: Int) throws(JSON5Error) -> Unicode.Scalar {
        let first = try code(digits: digits)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else { throw fault("half a surrogate pair") }
        let second = try code(digits: 4)
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw fault("half a surrogate pair") }
        return scalar
    }

    private mutating func code(digits: Int) throws(JSON5Error) -> UInt32 {
        let end = position + digits
        guard end <= scalars.count, scalars[position..<end].allSatisfy({ $0.properties.isASCIIHexDigit }) else {
            throw fault("an escape needs \(digits) hexadecimal digits")
        }
        let start = position
        position = end
        return UInt32(text(from: start), radix: 16) ?? 0
    }

    private mutating func skipBlanks() throws(JSON5Error) {
        while let scalar = current {
            switch scalar {
            case "\n", "\u{2028}", "\u{2029}":
                line += 1
                position += 1
            // With a line feed after it, that one counts.
            case "\r":
                position += 1
                if current != "\n" { line += 1 }
            case "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{FEFF}": position += 1
            case _ where scalar.properties.generalCategory == .spaceSeparator: position += 1
            case "/": try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSON5Error) {
        let start = line
        position += 1
        if take("/") {
            while let scalar = current, scalar != "\n", scalar != "\r", scalar != "\u{2028}", scalar != "\u{2029}" {
                position += 1
            }
        } else if take("*") {
            while !(take("*") && take("/")) {
                guard let scalar = current else { throw JSON5Error(line: start, reason: "a comment does not end") }
                // `take` has passed the star of a `*` that ends nothing.
                if scalar == "\n" { line += 1 }
                if scalar != "*" { position += 1 }
            }
        } else {
            throw fault("a single / means nothing here")
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    private func text(from start: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<position])
        return String(text)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    /// ECMAScript's IdentifierPart, without escapes.
    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "$" || scalar == "_" || scalar.properties.isIDContinue
    }
}
