// What /healthz says beside its status code, as far as `shorty health` passes it on.
internal import JSON

struct HealthReport: Equatable {
    /// Why the last scheduled backup failed; nil where it did not, and where there are none.
    let backupFault: String?

    /// Of an answer's content. What is not as expected there says nothing: the status code has said that all is well.
    init(_ content: Substring) {
        let bytes = Array(content.utf8)
        var scanner = JSONScanner(bytes.span)
        var text: [UInt8] = []
        var fault: Range<Int>?
        try? scanner.members(&text) { scanner, name, text throws(JSONFault) in
            guard text[name].elementsEqual("lastBackup".utf8), scanner.peek() == UInt8(ascii: "{") else {
                return try scanner.skipValue()
            }
            try scanner.members(&text) { scanner, name, text throws(JSONFault) in
                guard text[name].elementsEqual("error".utf8), scanner.peek() == UInt8(ascii: "\"") else {
                    return try scanner.skipValue()
                }
                fault = try scanner.string(&text)
            }
        }
        backupFault = fault.map { Substring(decoding: text[$0], as: UTF8.self).onOneLine }
    }
}

extension Substring {
    /// Its beginning, on one line whatever it holds: it comes from whoever answered.
    var onOneLine: String {
        var line = unicodeScalars.prefix(500).map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        while line.last == " " { line.removeLast() }
        return line
    }
}
