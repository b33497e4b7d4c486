// Where a link leads. Holding a `LongURL` means its bytes can stand in a Location header as they are.

/// An absolute http or https URL in its stored form: pure printable ASCII.
package struct LongURL: Hashable, Sendable {
    package let text: String

    /// A URL that comes from the store and was checked when it went in.
    package init(stored text: String) { self.text = text }
}
