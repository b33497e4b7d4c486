// What can be wrong with a slug, in words for whoever typed it.

/// Why a text cannot be a slug.
package enum SlugError: Error, Equatable, Sendable {
    case empty
    /// Longer than the limit, in Unicode scalars.
    case tooLong(limit: Int)
    /// The first character that is not allowed.
    case character(Unicode.Scalar)
    /// The program's own pages need it. Never longer than the limit.
    case reserved(String)
    /// `.`, `..`, or a dot or tilde at an end, or a name ending in `.json`.
    case shape

    /// What was wrong and what to do, in one or two sentences of printable ASCII.
    package var message: String {
        switch self {
        case .empty: "The slug is empty; give at least one character."
        case .tooLong(let limit): "The slug is too long; at most \(limit) characters are allowed."
        case .character(let scalar):
            "The slug must not contain \(Self.name(of: scalar)); allowed are A-Z a-z 0-9 - _ and, inside, . and ~."
        case .reserved(let text): "The slug \"\(text)\" is reserved for the service itself; choose another."
        case .shape: "A slug must not begin or end with . or ~, nor end in .json; choose another."
        }
    }

    /// The character itself where it can be seen, else its number.
    private static func name(of scalar: Unicode.Scalar) -> String {
        if scalar == " " { return "a space" }
        if ("!"..."~").contains(scalar) { return "\"\(scalar)\"" }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
