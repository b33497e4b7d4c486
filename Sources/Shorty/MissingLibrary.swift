// A library that is loaded by need only, and whose absence must be told before somebody's link is refused for it.
internal import Shortening

/// What is not installed; nil where all is.
struct MissingLibrary {
    /// A line that says what to do.
    let message: String

    /// Looks on the disk; a millisecond.
    init?() {
        guard let name = DomainToASCII.missingLibrary else { return nil }
        let package = "libicu" + (name.split(separator: ".").last ?? "")
        message = """
            \(name) is not installed, and without it no domain with letters outside ASCII can be stored: install it, on Debian \
            with `apt-get install \(package)`.
            """
    }
}
