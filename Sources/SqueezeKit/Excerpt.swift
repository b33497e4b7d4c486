// How a value from outside is shown to people: its beginning, and nothing that could play tricks on a terminal.

extension String {
    /// The first 80 characters (scalars); what cannot be seen (controls, formats, separators) becomes U+FFFD.
    package var excerpt: String { excerpt(80) }

    /// The same of up to so many characters.
    package func excerpt(_ most: Int) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(most) { shown.append(scalar.isVisible ? scalar : "\u{fffd}") }
        return String(shown) + (unicodeScalars.dropFirst(most).isEmpty ? "" : "...")
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
