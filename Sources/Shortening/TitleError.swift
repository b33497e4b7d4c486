// What can be wrong with a link's title, in words for whoever gave it.

/// Why a text cannot be a title.
package enum TitleError: Error, Equatable, Sendable {
    /// Characters of a title at most, in Unicode scalars.
    package static let limit = 500

    /// Longer than the limit, in Unicode scalars.
    case tooLong(length: Int)
    case hasNUL
    case notUTF8

    /// What was wrong and what to do.
    package var message: String {
        switch self {
        case .tooLong(let length): "The title has \(length) characters; at most \(Self.limit) are allowed."
        case .hasNUL: "The title holds a NUL, which no text has; leave it out."
        case .notUTF8: "The title is not UTF-8 text; save the file as UTF-8."
        }
    }

    /// Throws where the text cannot be a title.
    static func check(_ text: Span<UInt8>) throws(TitleError) {
        guard (try? UTF8Span(validating: text)) != nil else { throw .notUTF8 }
        var length = 0
        for index in text.indices {
            if text[index] == 0 { throw .hasNUL }
            // All bytes but those that continue a scalar begin one.
            if text[index] & 0xc0 != 0x80 { length += 1 }
        }
        if length > limit { throw .tooLong(length: length) }
    }
}
