// What other shorteners call in their exports what has a name of its own here, so that a file of theirs is not stored without it: a
// second import would change nothing.

enum ForeignName {
    /// By names in lower case. YOURLS' table `yourls_url`; Shlink's export and its API; Kutt's API; Bitly's API.
    private static let meanings = [
        "keyword": "slug", "timestamp": "created",
        "shortcode": "slug", "longurl": "url", "createdat": "created", "datecreated": "created", "visits": "clicks",
        "visitscount": "clicks",
        "created_at": "created", "visit_count": "clicks",
        "long_url": "url",
    ]

    /// Which of the names that nobody knows here to rename, like `keyword to slug and timestamp to created`: those that mean what is
    /// not among the `known` ones. Nil where there are none. Letter case does not count.
    static func renamings(of unknown: [String], beside known: [String]) -> String? {
        var missed: [String] = []
        var renamings: [String] = []
        for name in unknown {
            guard let meaning = meanings[name.lowercased()], !known.contains(meaning), !missed.contains(meaning) else {
                continue
            }
            missed.append(meaning)
            renamings.append("\(name) to \(meaning)")
        }
        return renamings.isEmpty ? nil : renamings.joined(separator: " and ")
    }
}
