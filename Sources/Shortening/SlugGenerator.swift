// Slugs for people who did not choose one.

/// Draws slugs from the system's random source.
package struct SlugGenerator: Sendable {
    /// Characters of a slug at first.
    package let length: Int

    package init(length: Int) { self.length = length }
}
