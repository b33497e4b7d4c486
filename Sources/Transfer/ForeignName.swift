// What other shorteners call a slug and a long URL in their exports, so that a file of theirs is refused with a way out.

package enum ForeignName {
    private static let slugs: Set<String> = ["keyword", "shortcode", "short_code"]
    private static let longURLs: Set<String> = ["longurl", "long_url"]
    private static let others = [
        "timestamp": "created", "createdat": "created", "created_at": "created", "datecreated": "created",
        "date_created": "created", "visits": "clicks", "visitscount": "clicks", "visit_count": "clicks", "tag": "tags",
    ]

    /// What to do about names that were left out though they mean something here, as a sentence without its end; nil where none is
    /// known to. Letter case does not count.
    package static func advice(on unknown: [String]) -> String? {
        let renamings = unknown.compactMap { name in others[name.lowercased()].map { "\(name) to \($0)" } }
        return renamings.isEmpty ? nil : "Rename \(renamings.joined(separator: " and "))"
    }

    /// The first of `names` that means what `wanted` does, `slug` or `url`; nil where none is known to. Letter case does not count.
    static func meaning(_ wanted: String, among names: [String]) -> String? {
        let foreign = wanted == "slug" ? slugs : longURLs
        return names.first { foreign.contains($0.lowercased()) }
    }
}
