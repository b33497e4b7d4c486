// One JSON text taken apart from its beginning (RFC 8259). Strict: no comments, no trailing commas, no lone surrogates. It
// allocates nothing but the texts that it unescapes into a buffer of its caller's.

/// Why a text is no JSON, or not the JSON that was expected here.
package struct JSONFault: Error, Equatable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}

/// A place in a JSON text. The text is valid UTF-8.
package struct JSONScanner: ~Escapable {
    /// Values in values at most, so that no text can use up the stack.
    private static let depthLimit = 256

    private let json: Span<UInt8>
    private var at = 0

    @_lifetime(copy json)
    package init(_ json: Span<UInt8>) { self.json = json }

    /// The next byte that is no white space; nil at the end.
    package mutating func peek() -> UInt8? {
        while at < json.count {
            switch json[at] {
            case 0x20, 0x09, 0x0a, 0x0d: at += 1
            default: return json[at]
            }
        }
        return nil
    }

    /// Takes a character if it comes next.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    package mutating func expect(_ character: Unicode.Scalar) throws(JSONFault) {
        if !take(character) { throw JSONFault(reason: "\"\(character)\" is missing at byte \(at + 1)") }
    }

    /// Runs `member` for each member of an object, with its name's place in `text` and the scanner before its value.
    package mutating func members(
        _ text: inout [UInt8], _ member: (inout JSONScanner, Range<Int>, inout [UInt8]) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try expect("{")
        if take("}") { return }
        repeat {
            let name = try string(&text)
            try expect(":")
            try member(&self, name, &text)
        } while take(",")
        try expect("}")
    }

    /// Runs `element` for each element of an array, with the scanner before it.
    package mutating func elements(
        _ text: inout [UInt8], _ element: (inout JSONScanner, inout [UInt8]) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try expect("[")
        if take("]") { return }
        repeat { try element(&self, &text) } while take(",")
        try expect("]")
    }

    /// Takes `null` if it comes next.
    package mutating func takeNull() -> Bool { takeWord("null") }

    package mutating func bool() throws(JSONFault) -> Bool {
        if takeWord("true") { return true }
        if takeWord("false") { return false }
        throw JSONFault(reason: "true or false is missing at byte \(at + 1)")
    }

    /// A whole number of up to 18 digits, without fraction and exponent.
    package mutating func wholeNumber() throws(JSONFault) -> Int64 {
        _ = peek()
        let start = at
        try skipNumber()
        let digits = json[start] == UInt8(ascii: "-") ? start + 1 : start
        var number: Int64 = 0
        guard at - digits <= 18 else { throw JSONFault(reason: "the number at byte \(start + 1) is too large") }
        for index in digits..<at {
            guard Self.isDigit(json[index]) else {
                throw JSONFault(reason: "the number at byte \(start + 1) is no whole number")
            }
            number = number * 10 + Int64(json[index] - UInt8(ascii: "0"))
        }
        return digits > start ? -number : number
    }

    /// Takes a string, appends it unescaped to `text`, and says where it is there.
    package mutating func string(_ text: inout [UInt8]) throws(JSONFault) -> Range<Int> {
        guard take("\"") else { throw JSONFault(reason: "a string is missing at byte \(at + 1)") }
        let start = text.count
        while at < json.count {
            let byte = json[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                return start..<text.count
            }
            if byte < 0x20 { throw JSONFault(reason: "a control character at byte \(at + 1) is not escaped") }
            at += 1
            if byte == UInt8(ascii: "\\") { try takeEscape(&text) } else { text.append(byte) }
        }
        throw JSONFault(reason: "a string has no end")
    }

    /// Takes any value.
    package mutating func skipValue(depth: Int = 0) throws(JSONFault) {
        guard depth < Self.depthLimit else { throw JSONFault(reason: "values are nested too deeply") }
        var ignored: [UInt8] = []
        switch peek() {
        case UInt8(ascii: "{"):
            try members(&ignored) { scanner, _, text throws(JSONFault) in
                text.removeAll()
                try scanner.skipValue(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try elements(&ignored) { scanner, _ throws(JSONFault) in try scanner.skipValue(depth: depth + 1) }
        case UInt8(ascii: "\""): _ = try string(&ignored)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
        case UInt8(ascii: "n"):
            if !takeNull() { throw missingValue }
        default: try skipNumber()
        }
    }

    /// Throws unless only white space is left.
    package mutating func expectEnd() throws(JSONFault) {
        if peek() != nil { throw JSONFault(reason: "there is something behind the object, at byte \(at + 1)") }
    }

    // MARK: Parts

    private var missingValue: JSONFault { JSONFault(reason: "a value is missing or malformed at byte \(at + 1)") }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        _ = peek()
        let length = word.utf8CodeUnitCount
        guard at + length <= json.count else { return false }
        let bytes = unsafe UnsafeBufferPointer(start: word.utf8Start, count: length)
        for index in 0..<length where unsafe json[at + index] != bytes[index] { return false }
        at += length
        return true
    }

    /// The grammar of RFC 8259, section 6.
    private mutating func skipNumber() throws(JSONFault) {
        if at < json.count, json[at] == UInt8(ascii: "-") { at += 1 }
        let start = at
        guard skipDigits() > 0 else { throw missingValue }
        if json[start] == UInt8(ascii: "0"), at - start > 1 { throw missingValue }
        if at < json.count, json[at] == UInt8(ascii: ".") {
            at += 1
            guard skipDigits() > 0 else { throw missingValue }
        }
        if at < json.count, json[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < json.count, json[at] == UInt8(ascii: "+") || json[at] == UInt8(ascii: "-") { at += 1 }
            guard skipDigits() > 0 else { throw missingValue }
        }
    }

    private mutating func skipDigits() -> Int {
        let start = at
        while at < json.count, Self.isDigit(json[at]) { at += 1 }
        return at - start
    }

    private mutating func takeEscape(_ text: inout [UInt8]) throws(JSONFault) {
        guard at < json.count else { throw JSONFault(reason: "a string has no end") }
        at += 1
        switch json[at - 1] {
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(json[at - 1])
        case UInt8(ascii: "u"): text.append(contentsOf: Array(String(try escapedScalar()).utf8))
        default: throw JSONFault(reason: "an escape before byte \(at + 1) is not one of JSON's")
        }
    }

    /// What follows `\u`: four digits, or two such halves.
    private mutating func escapedScalar() throws(JSONFault) -> Unicode.Scalar {
        let first = try fourDigits()
        var value = first
        if (0xd800...0xdbff).contains(first), at + 1 < json.count, json[at] == UInt8(ascii: "\\"),
            json[at + 1] == UInt8(ascii: "u")
        {
            at += 2
            let second = try fourDigits()
            // Two halves of a scalar beyond U+FFFF (RFC 8259, section 7); a wrong second one leaves a value that is none.
            value = (0xdc00...0xdfff).contains(second) ? 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00) : first
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw JSONFault(reason: "half a character is escaped before byte \(at + 1)")
        }
        return scalar
    }

    private mutating func fourDigits() throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard at < json.count, let digit = Self.hexValue(json[at]) else {
                throw JSONFault(reason: "an escape \\u lacks its four digits at byte \(at + 1)")
            }
            value = value << 4 | digit
            at += 1
        }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func hexValue(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
