// Values as they are shown to people.

/// A text between quotes as the file would hold it, on one line whatever it is, cut after 200 characters.
func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars.prefix(200) {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case _ where isInvisible(scalar):
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + (text.unicodeScalars.dropFirst(200).isEmpty ? "\"" : "...\"")
}

/// Controls, line separators, and marks that turn the direction of a line round.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
}
