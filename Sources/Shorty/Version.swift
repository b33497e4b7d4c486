// Which Shorty this is.

enum Version {
    /// By Semantic Versioning 2.0.0.
    static let text = "0.1.0"
}
