// The statements about collections, tags and events. What follows from a change for `revision` and `tagged_member` is in the
// schema's triggers, not here.

extension SQL {
    // MARK: Collections

    static let findCollection = "SELECT id, name, public, revision FROM collection WHERE name = ?1"
    static let collections = """
        SELECT id, name, public, revision, (SELECT count(*) FROM collection_link WHERE collection = id) FROM collection
        ORDER BY name
        """
    static let createCollection = """
        INSERT INTO collection (name, public, revision, created) VALUES (?1, ?2, 0, ?3) ON CONFLICT (name) DO NOTHING
        """
    static let removeCollection = "DELETE FROM collection WHERE id = ?1"

    // MARK: Members

    /// A removed link is no member any more, so its row need not be asked whether it is live.
    static let members = """
        SELECT m.position, l.slug, l.url, l.title, l.id FROM collection_link m JOIN link l ON l.id = m.link
        WHERE m.collection = ?1 AND m.position > ?2 ORDER BY m.position LIMIT ?3
        """
    static let addMember = """
        INSERT INTO collection_link (collection, position, link)
        SELECT ?1, coalesce(max(position) + 1, 1), ?2 FROM collection_link WHERE collection = ?1
        ON CONFLICT (link, collection) DO NOTHING
        """
    static let removeMember = "DELETE FROM collection_link WHERE link = ?1 AND collection = ?2"
    static let removeFirstMembers = """
        DELETE FROM collection_link WHERE collection = ?1 AND position IN (
            SELECT position FROM collection_link WHERE collection = ?1 ORDER BY position LIMIT ?2)
        """

    // MARK: Drawing

    static let findTag = "SELECT id FROM tag WHERE name = ?1"
    static let lastOrdinal = """
        SELECT ordinal FROM tagged_member WHERE collection = ?1 AND tag = ?2 ORDER BY ordinal DESC LIMIT 1
        """
    static let memberByOrdinal = """
        SELECT l.id, l.url, l.slug FROM tagged_member m JOIN link l ON l.id = m.link
        WHERE m.collection = ?1 AND m.tag = ?2 AND m.ordinal = ?3
        """

    // MARK: What links say of themselves

    static let portrait = """
        SELECT l.slug, l.title, d.text FROM link l LEFT JOIN description d ON d.link = l.id
        WHERE l.id = ?1 AND l.removed IS NULL
        """
    static let tags = "SELECT t.name FROM link_tag l JOIN tag t ON t.id = l.tag WHERE l.link = ?1 ORDER BY t.name"
    static let events = """
        SELECT first_day, last_day, instructors, location FROM event WHERE link = ?1 ORDER BY first_day, id
        """
    static let addTag = "INSERT INTO tag (name) VALUES (?1) ON CONFLICT (name) DO NOTHING"
    static let tagLink = """
        INSERT INTO link_tag (link, tag) SELECT ?1, id FROM tag WHERE name = ?2 ON CONFLICT (link, tag) DO NOTHING
        """
    static let untagLink = "DELETE FROM link_tag WHERE link = ?1 AND tag = (SELECT id FROM tag WHERE name = ?2)"
    static let setDescription = """
        INSERT INTO description (link, text) VALUES (?1, ?2) ON CONFLICT (link) DO UPDATE SET text = excluded.text
        """
    static let removeDescription = "DELETE FROM description WHERE link = ?1"
    static let addEvent = """
        INSERT INTO event (link, first_day, last_day, instructors, location) VALUES (?1, ?2, ?3, ?4, ?5)
        """
}
