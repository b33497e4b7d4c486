// One log line as bytes. Whatever goes in, one line comes out: no control character, no line break of any script and no
// byte that is not UTF-8 leaves here unescaped, so nobody can forge a line or steer a terminal.

/// A line being put together; `bytes` ends in the only line feed that it holds.
struct LogLine {
    private(set) var bytes: [UInt8] = []
    private let format: LogFormat

    /// Renders a whole line.
    init(_ format: LogFormat, time: UTCTime, level: LogLevel, message: String, fields: LogFields) {
        self.format = format
        bytes.reserveCapacity(160)
        switch format {
        case .text:
            append(time.rfc3339)
            append(" \(level.rawValue) ")
            escape(Array(message.utf8))
            for (name, value) in fields {
                append(" \(name)=")
                appendText(value)
            }
        case .json:
            append("{\"time\":\"\(time.rfc3339)\",\"level\":\"\(level.rawValue)\",\"message\":\"")
            escape(Array(message.utf8))
            append("\"")
            for (name, value) in fields {
                append(",\"\(name)\":")
                appendJSON(value)
            }
            append("}")
        }
        bytes.append(0x0A)
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func appendText(_ value: LogValue) {
        switch value {
        case .number(let number): append(String(number))
        case .text(let text): appendWord(Array(text.utf8))
        case .bytes(let raw): appendWord(raw)
        }
    }

    private mutating func appendJSON(_ value: LogValue) {
        switch value {
        case .number(let number): append(String(number))
        case .text(let text): appendQuoted(Array(text.utf8))
        case .bytes(let raw): appendQuoted(raw)
        }
    }

    /// Quoted only where a reader could not tell where the value ends.
    private mutating func appendWord(_ raw: [UInt8]) {
        let needsQuotes = raw.isEmpty || raw.contains { $0 == 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "=") }
        if needsQuotes { appendQuoted(raw) } else { escape(raw) }
    }

    private mutating func appendQuoted(_ raw: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        escape(raw)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ raw: [UInt8]) {
        if raw.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: raw)
            return
        }
        var parser = UTF8.ForwardParser()
        var iterator = raw.makeIterator()
        var position = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                escape(UTF8.decode(encoded), as: raw[position..<position + encoded.count])
                position += encoded.count
            case .error(let length):
                raw[position..<position + length].forEach { escapeInvalid($0) }
                position += length
            case .emptyInput: return
            }
        }
    }

    private mutating func escape(_ scalar: Unicode.Scalar, as encoded: ArraySlice<UInt8>) {
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\n": append("\\n")
        case "\r": append("\\r")
        case "\t": append("\\t")
        case _ where isUnsafe(scalar): append("\\u" + hexadecimal(scalar.value, digits: 4))
        default: bytes.append(contentsOf: encoded)
        }
    }

    /// RFC 8259 has no way to write a byte that is no text; there the replacement character says that one stood here.
    private mutating func escapeInvalid(_ byte: UInt8) {
        append(format == .json ? "\\ufffd" : "\\x" + hexadecimal(UInt32(byte), digits: 2))
    }

    private func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// C0, DEL and C1 controls, the line and paragraph separators, and the marks that turn the direction of a line round
    /// (UAX #9), with which a value could be made to look like another.
    private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
