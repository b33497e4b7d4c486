// The contract of collections with the SQLite store, and what only it can promise.
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct CollectionTests {
    @Test(arguments: CollectionStoreRule.all)
    func `the store keeps the contract of collections`(rule: CollectionStoreRule) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.isDaemon = true }
        defer { store.close() }
        try await rule.check(store)
        #expect(try store.verify() == [])
    }

    @Test func `the lists that are drawn from have no gap after any changes`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        let file = try outsider(folder.database, "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF; BEGIN")
        try file.execute("INSERT INTO tag (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
        try file.execute(
            "INSERT INTO collection (id, name, public, revision, created) VALUES (1, 'x', 1, 0, 0), (2, 'y', 1, 0, 0)")
        for id in 1...40 {
            try file.execute("INSERT INTO link (id, slug, url, created, listed) VALUES (\(id), 's\(id)', 'u', 0, 0)")
        }
        var generator = SmallGenerator(state: 7)
        for step in 0..<4000 {
            let link = Int.random(in: 1...40, using: &generator)
            let (collection, tag) = (Int.random(in: 1...2, using: &generator), Int.random(in: 1...3, using: &generator))
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<30:
                try file.execute(
                    "INSERT INTO collection_link SELECT \(collection), \(step), id FROM link WHERE id = \(link) "
                        + "AND removed IS NULL ON CONFLICT DO NOTHING")
            case 30..<50:
                try file.execute("DELETE FROM collection_link WHERE link = \(link) AND collection = \(collection)")
            case 50..<75: try file.execute("INSERT INTO link_tag VALUES (\(link), \(tag)) ON CONFLICT DO NOTHING")
            case 75..<99: try file.execute("DELETE FROM link_tag WHERE link = \(link) AND tag = \(tag)")
            default: try file.execute("UPDATE link SET removed = 1 WHERE id = \(link) AND id < 20")
            }
            if step % 50 == 0 { try expectWhole(file) }
        }
        try expectWhole(file)
        #expect(try file.number("SELECT count(*) FROM tagged_member") > 20, "the test has something to look at")
    }

    private func expectWhole(_ file: Connection) throws {
        let wanted = """
            SELECT * FROM (SELECT collection, 0 AS tag, link FROM collection_link
                UNION ALL SELECT c.collection, t.tag, c.link FROM collection_link c JOIN link_tag t ON t.link = c.link)
            """
        let has = "SELECT collection, tag, link FROM tagged_member"
        #expect(try file.number("SELECT count(*) FROM (\(wanted) EXCEPT \(has))") == 0)
        #expect(try file.number("SELECT count(*) FROM (\(has) EXCEPT \(wanted))") == 0)
        #expect(try file.number("SELECT count(*) FROM (\(wanted))") == file.number("SELECT count(*) FROM (\(has))"))
        let gaps =
            "SELECT 1 FROM tagged_member GROUP BY collection, tag HAVING max(ordinal) + 1 <> count(*) OR min(ordinal) <> 0"
        #expect(try file.number("SELECT count(*) FROM (\(gaps))") == 0)
    }

    /// Pearson's test: with as many links, the statistic is nearly normal around its degrees of freedom, so that six standard
    /// deviations are passed by one honest run in hundreds of millions.
    @Test func `100,000 draws fall evenly on the links of a tag`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        let (name, kinds) = (CollectionName(stored: "set"), 200)
        #expect(try store.createCollection(name, isPublic: true))
        for number in 0..<kinds * 2 {
            let slug = Slug(stored: "s\(number)")
            try await store.adding(slug.text, "https://a.example/")
            _ = try store.setTags([Tag(stored: number % 2 == 0 ? "even" : "odd")], of: slug)
            _ = try store.addMember(slug, to: name)
        }
        // Gaps in the order of coming, which must make no gap in the odds.
        for number in stride(from: 0, to: 100, by: 2) { _ = try store.removeMember(Slug(stored: "s\(number)"), from: name) }
        let draws = 100_000
        var counts: [String: Int] = [:]
        let wishes = [DrawWish](repeating: DrawWish(collection: name, tag: Tag(stored: "even")), count: draws)
        for drawn in try await store.drawn(wishes) { counts[drawn?.slug.text ?? "", default: 0] += 1 }
        let left = kinds - 50
        #expect(counts.count == left)
        let expected = Double(draws) / Double(left)
        let statistic = counts.values.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
        let freedom = Double(left - 1)
        #expect(abs(statistic - freedom) < 6 * (2 * freedom).squareRoot(), "chi-square \(statistic) with \(freedom)")
    }

    @Test func `another process's changes are seen at once`() throws {
        let folder = try TemporaryFolder()
        let (daemon, command) = (try folder.open { $0.isDaemon = true }, try folder.open())
        defer { for store in [daemon, command] { store.close() } }
        let name = CollectionName(stored: "set")
        #expect(try command.createCollection(name, isPublic: true))
        let before = try #require(try daemon.collection(name))
        _ = try command.add(chosen("a"))
        #expect(try command.addMember(Slug(stored: "a"), to: name) == .added)
        #expect(try daemon.slugs(of: name) == ["a"])
        #expect(try #require(try daemon.collection(name)).revision > before.revision)
    }

    @Test func `a collection of thousands is removed, and adds go on meanwhile`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.isDaemon = true }
        defer { store.close() }
        let name = CollectionName(stored: "set")
        #expect(try store.createCollection(name, isPublic: true))
        let file = try outsider(folder.database, "PRAGMA synchronous = OFF; BEGIN")
        try file.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO link (slug, url, created, listed) SELECT 's' || i, 'https://a.example/', 0, 0 FROM n;
            INSERT OR IGNORE INTO target SELECT key, link, url FROM link_target;
            INSERT INTO collection_link SELECT (SELECT id FROM collection), id, id FROM link;
            COMMIT
            """)
        #expect(try store.slugs(of: name).count == 5000)
        async let removal = Task.detached { try store.removeCollection(name) }.value
        for number in 0..<20 { try await store.adding("during\(number)", "https://a.example/") }
        #expect(try await removal)
        #expect(try store.collection(name) == nil)
        let look = try Connection(folder.database, .read)
        #expect(try look.number("SELECT count(*) FROM tagged_member") == 0)
        #expect(try look.number("SELECT count(*) FROM link WHERE removed IS NULL") == 5020)
    }
}

/// A small generator with a seed, so that a failure can be run again (xorshift64).
private struct SmallGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
