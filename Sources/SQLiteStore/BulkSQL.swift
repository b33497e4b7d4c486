// The SQL of links that come and go by the million, beside that of everyday (`SQL`).

extension SQL {
    // MARK: Coming

    /// As for the writer, but with room for the pages that a sorted run of links touches.
    static let tuneBulk = """
        \(tuneWriter)
        PRAGMA cache_size = -16384;
        """

    static let bulkColumnCount = 9
    static func addTargets(_ rows: Int) -> String {
        let row = "(?, ?, ?)"
        return """
            INSERT INTO target (key, link, url) VALUES \(Array(repeating: row, count: rows).joined(separator: ", "))
            ON CONFLICT DO NOTHING
            """
    }
    static let takeTargetBack = "DELETE FROM target WHERE key = ?1 AND link >= ?2"
    /// Without a named conflict: one may also lie in the index of squeezed links.
    static func addLinks(_ rows: Int) -> String {
        let row = "(" + Array(repeating: "?", count: bulkColumnCount).joined(separator: ", ") + ")"
        return """
            INSERT INTO link (slug, url, title, created, expires, owner, listed, removed, squeezed)
            VALUES \(Array(repeating: row, count: rows).joined(separator: ", "))
            ON CONFLICT DO NOTHING
            """
    }
    static let nextLink = "SELECT coalesce(max(id), 0) + 1 FROM link"
    static let findSlug = "SELECT id, url, removed FROM link WHERE id = \(linkOfSlug)"

    static let addTagToLink = "INSERT INTO link_tag (link, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
    static let lastPlace = "SELECT coalesce(max(position), 0) FROM collection_link WHERE collection = ?1"
    static let placeLink = """
        INSERT INTO collection_link (collection, position, link) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING
        """

    // MARK: Going

    private static let recordColumns = "id, slug, l.url, title, created, expires, owner, listed, removed, squeezed"
    static let records = """
        SELECT \(recordColumns) FROM target t CROSS JOIN link l ON l.id = t.link WHERE t.key > ?1 ORDER BY t.key LIMIT ?2
        """
    static let longRecords = """
        SELECT \(recordColumns) FROM link l WHERE slug > ?1 AND \(hasLongSlug) ORDER BY slug LIMIT ?2
        """
    static let accountName = "SELECT name FROM account WHERE id = ?1"
    static let hasTags = "SELECT EXISTS (SELECT 1 FROM link_tag)"
    static let hasPlaces = "SELECT EXISTS (SELECT 1 FROM collection_link)"
    static let hasEvents = "SELECT EXISTS (SELECT 1 FROM event)"
    static let placesOfLink = """
        SELECT c.name, l.position FROM collection_link l JOIN collection c ON c.id = l.collection
        WHERE l.link = ?1 ORDER BY c.name
        """
    static let hasDescriptions = "SELECT EXISTS (SELECT 1 FROM description)"
    static let descriptionOfLink = "SELECT text FROM description WHERE link = ?1"
    static let collectionRecords = "SELECT name, public, created FROM collection WHERE name > ?1 ORDER BY name LIMIT ?2"
}
