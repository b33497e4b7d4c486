// What can be wrong with a long URL, in words for whoever gave it.

/// Why a text cannot be a long URL. The texts inside are short excerpts fit for showing (`excerpt(of:)`).
package enum LongURLError: Error, Equatable, Sendable {
    case empty
    /// No scheme at all: `example.com/a`, `//example.com`, `/path`.
    case noScheme
    /// A scheme other than http and https.
    case scheme(String)
    case noHost
    /// A host that no browser opens: forbidden characters, a bad address, a bad international name.
    case host(String)
    /// Not a number from 0 to 65535.
    case port(String)
    /// Both in characters of the stored form.
    case tooLong(limit: Int, length: Int)
    case notUTF8

    /// What was wrong, which value, and what to do: one or two sentences without control characters.
    package var message: String {
        switch self {
        case .empty: "The long URL is empty; give one that begins with http:// or https://."
        case .noScheme: "The long URL has no scheme; it must begin with http:// or https://."
        case .scheme(let name): "The scheme \"\(name)\" is not allowed; a long URL must begin with http:// or https://."
        case .noHost: "The long URL names no host; write it like https://example.com/page."
        case .host(let text): "The host \"\(text)\" is not a valid domain name or address; check its spelling."
        case .port(let text): "The port \"\(text)\" is not a number from 0 to 65535."
        case .tooLong(let limit, let length):
            "The long URL is too long: \(length) characters in its stored form, where \(limit) are allowed."
        case .notUTF8: "The long URL is not valid UTF-8 text; percent-encode its bytes."
        }
    }

    /// The beginning of a value, at most 60 characters; what cannot be seen (controls, formats, separators) becomes U+FFFD.
    package static func excerpt(of bytes: ArraySlice<UInt8>) -> String {
        let most = 60
        // A scalar has at most four bytes, so this many hold all that is shown and say whether there is more.
        let scalars = String(decoding: bytes.prefix(4 * (most + 1)), as: UTF8.self).unicodeScalars
        var text = String.UnicodeScalarView()
        for scalar in scalars.prefix(most) { text.append(isVisible(scalar) ? scalar : "\u{fffd}") }
        return String(text) + (scalars.dropFirst(most).isEmpty ? "" : "...")
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
