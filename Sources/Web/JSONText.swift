// Writing JSON, for answers that are streamed or too small for an encoder.

/// A text as a JSON string with its quotes (RFC 8259 §7). `<`, `>` and `&` are escaped too, so that the text is harmless
/// where somebody puts it into a page.
func jsonText(_ text: String) -> String {
    var json = "\""
    json.reserveCapacity(text.utf8.count + 2)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": json += "\\\""
        case "\\": json += "\\\\"
        case "\n": json += "\\n"
        case "\r": json += "\\r"
        case "\t": json += "\\t"
        case "<", ">", "&", "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
            let digits = String(scalar.value, radix: 16)
            json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: json.unicodeScalars.append(scalar)
        }
    }
    return json + "\""
}
