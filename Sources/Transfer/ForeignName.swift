// What other shorteners call a slug and a long URL in their exports, so that a file of theirs is refused with a way out.

enum ForeignName {
    private static let slugs: Set<String> = ["keyword", "shortcode", "short_code"]
    private static let longURLs: Set<String> = ["longurl", "long_url"]

    /// The first of `names` that means what `wanted` does, `slug` or `url`; nil where none is known to. Letter case does not count.
    static func meaning(_ wanted: String, among names: [String]) -> String? {
        let foreign = wanted == "slug" ? slugs : longURLs
        return names.first { foreign.contains($0.lowercased()) }
    }
}
