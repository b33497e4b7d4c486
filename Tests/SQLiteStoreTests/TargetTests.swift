// Slugs as numbers: that the program and the schema count alike, that `target` stays true whoever writes, and that stores of before
// come along.
import Foundation
import Shortening
import Telemetry
import Testing

@testable import SQLiteStore

struct TargetTests {
    private static let alphabet = Array("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")

    private func soundness(of folder: TemporaryFolder) throws -> [String] {
        try SQLiteStore.verify(file: folder.database).problems
    }

    // MARK: Numbers

    @Test func `the program and the schema give a slug the same number, and numbers sort as slugs do`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let file = try outsider(folder.database, "BEGIN")
        var generator = SystemRandomNumberGenerator()
        var slugs = Set(
            Self.alphabet.map(String.init) + [String(repeating: "~", count: 10), "----------", "a", "a-", "a-a"])
        for _ in 0..<2_000 {
            slugs.insert(String((0..<Int.random(in: 1...10)).map { _ in Self.alphabet.randomElement(using: &generator)! }))
        }
        let add = try file.prepare("INSERT INTO link (slug, url, created, listed) VALUES (?1, 'u', 0, 0)")
        for slug in slugs {
            try add.run { statement throws(StoreError) in
                try statement.bind(1, slug)
                _ = try statement.step()
            }
        }
        let inOrder = try file.texts("SELECT slug FROM link_target ORDER BY key")
        #expect(inOrder == slugs.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let numbers = try file.texts("SELECT key FROM link_target ORDER BY key").map { Int64($0) }
        #expect(numbers == inOrder.map { Slug(stored: $0).number })
        #expect(numbers.allSatisfy { $0.map { $0 > 0 } ?? false })
    }

    @Test func `eleven characters have no number`() {
        #expect(Slug(stored: "abcdefghij").number != nil)
        #expect(Slug(stored: "abcdefghijk").number == nil)
    }

    @Test func `numbers stay what they are`() {
        #expect(Slug(stored: "a").number == 1_088_261_375_851_797_880)
        #expect(Slug(stored: "ab").number == 1_104_910_150_631_620_161)
        #expect(Slug(stored: "~z-~z-~z-~").number == 1_822_037_787_959_901_996)
    }

    @Test func `what is no slug has no number`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let file = try outsider(
            folder.database,
            """
            WITH other (text) AS (VALUES (''), ('ü'), ('a b'), ('a/b'), ('a['), ('a^'), ('a' || char(0) || 'b'), (NULL))
            INSERT INTO link (slug, url, created, listed) SELECT text, 'u', 0, 0 FROM other
            """)
        #expect(try file.number("SELECT count(*) FROM link") == 8)
        #expect(try file.number("SELECT count(*) FROM link_target") == 0)
        #expect(try soundness(of: folder) == [])
    }

    // MARK: Whoever writes

    private static let pair = ["short", "longer-than-ten"]

    @Test(arguments: pair)
    func `a link is found by its slug until it is removed, and its slug can be chosen again`(slug: String) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        let first = try await store.adding(slug, "https://example.com/1")
        #expect(try await store.url(slug) == "https://example.com/1")
        #expect(store.findTargetsAtOnce([Slug(stored: slug)]).allSatisfy { $0?.id == first })
        guard case .taken = try await store.adding(chosen(slug)) else {
            Issue.record("not taken")
            return
        }
        #expect(try await store.removing(slug))
        #expect(try await store.url(slug) == nil)
        #expect(try store.link(Slug(stored: slug)) == nil)
        #expect(try await !store.removing(slug))
        #expect(try soundness(of: folder) == [])
        let second = try await store.adding(slug, "https://example.com/2")
        #expect(second != first)
        #expect(try await store.url(slug) == "https://example.com/2")
        #expect(try store.link(Slug(stored: slug))?.id == second)
        #expect(try soundness(of: folder) == [])
    }

    @Test(arguments: pair)
    func `what another program changes is followed`(slug: String) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        try await store.adding(slug, "https://example.com/")
        try await store.adding("other", "https://example.com/other")
        let file = try outsider(folder.database, "UPDATE link SET url = 'https://example.com/new' WHERE slug = '\(slug)'")
        #expect(try await store.url(slug) == "https://example.com/new")
        try file.execute("UPDATE link SET slug = 'renamed' WHERE slug = '\(slug)'")
        #expect(try await store.targets([slug, "renamed"]).map { $0?.longURL.text } == [nil, "https://example.com/new"])
        #expect(throws: StoreError.self, "a slug has one link") {
            try file.execute("UPDATE link SET slug = 'other' WHERE slug = 'renamed'")
        }
        #expect(try await store.url("renamed") == "https://example.com/new")
        try file.execute("UPDATE link SET removed = 1 WHERE slug = 'renamed'")
        #expect(try await store.url("renamed") == nil)
        try file.execute("UPDATE link SET removed = NULL WHERE slug = 'renamed'")
        #expect(try await store.url("renamed") == "https://example.com/new")
        try file.execute("UPDATE link SET slug = '\(slug)-renamed-again' WHERE slug = 'renamed'")
        #expect(try await store.targets(["renamed", slug + "-renamed-again"]).map { $0 != nil } == [false, true])
        #expect(try soundness(of: folder) == [])
        try file.execute("DELETE FROM link")
        #expect(try await store.url("other") == nil)
        #expect(try file.number("SELECT count(*) FROM target") == 0)
        #expect(try soundness(of: folder) == [])
    }

    @Test func `a refused squeeze leaves no entry`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        let owner = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1]))).account
        func squeezing(as slug: String) -> NewLink {
            NewLink(
                slug: .chosen(Slug(stored: slug)), longURL: LongURL(stored: "https://example.com/"), owner: owner,
                isSqueezed: true)
        }
        guard case .added = try await store.adding(squeezing(as: "one")) else {
            Issue.record("not added")
            return
        }
        guard case .existing = try await store.adding(squeezing(as: "two")) else {
            Issue.record("not refused")
            return
        }
        #expect(try soundness(of: folder) == [])
        try await store.adding("two", "https://example.com/two")
        #expect(try await store.url("two") == "https://example.com/two")
    }

    // MARK: Damage

    @Test(arguments: [
        ("UPDATE target SET url = 'https://elsewhere.example/' WHERE link = 3", "is not that of link 3 (s000002)"),
        ("UPDATE target SET link = 2 WHERE link = 3", "is not that of link 2 (s000001)"),
        (
            "INSERT INTO target VALUES (7, 99, 'https://elsewhere.example/')",
            "target 7 is not that of link 99, which is not there"
        ),
        ("UPDATE target SET url = NULL WHERE link = 3", "is not that of link 3 (s000002)"),
        ("DELETE FROM target WHERE link = 3", "link 3 (s000002) is not found by its slug"),
    ])
    func `verify tells of entries that are wrong or missing`(damage: String, told: String) throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 10)
        #expect(try soundness(of: folder) == [])
        try outsider(folder.database).execute(damage)
        let problems = try soundness(of: folder)
        #expect(problems.count == 1 && problems[0].hasSuffix(told), "\(problems)")
    }

    // MARK: By the million

    /// Slugs of both kinds in one order, some of them more than once.
    @Test(arguments: [false, true])
    func `a bulk insert keeps slugs of any length unique`(isMixed: Bool) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        try await store.adding("b-70", "https://example.com/taken")
        try await store.adding("b-71", "https://example.com/bulk")
        try await store.adding("b-80-is-longer", "https://example.com/taken")
        try await store.adding("b-200", "https://example.com/gone")
        #expect(try await store.removing("b-200"))
        let slugs = (0..<300).map { isMixed && $0 % 5 < 2 ? "b-\($0)-is-longer" : "b-\($0)" } + ["b-3", "b-299"]
        var (refused, isDone): ([String: BulkOutcome], Bool) = ([:], false)
        let bulk = try BulkInsert(StoreFile(folder.database))
        let counts = try bulk.add(within: .seconds(60)) { links in
            links.removeAll()
            if isDone { return true }
            isDone = true
            for (row, slug) in slugs.enumerated() {
                links.append(
                    PackedNumbers(row: row, created: 1, clicks: 0, isListed: false),
                    slug: Array(slug.utf8)[...], longURL: Array("https://example.com/bulk".utf8)[...], title: nil)
            }
            return true
        } refuse: { _, slug, outcome in
            refused[slug] = outcome
        }
        let expected: [String: BulkOutcome] =
            isMixed
            ? ["b-80-is-longer": .taken, "b-3": .repeated, "b-299": .repeated]
            : ["b-70": .taken, "b-3": .repeated, "b-299": .repeated]
        // In the mixed run b-70, b-71 and b-200 are longer ones.
        #expect(refused == expected)
        #expect(counts.added == 302 - expected.count - (isMixed ? 0 : 1))
        #expect(try soundness(of: folder) == [])
        let found = try await store.targets(slugs).map { $0?.longURL.text }
        for (slug, url) in zip(slugs, found) {
            #expect(url == (expected[slug] == .taken ? "https://example.com/taken" : "https://example.com/bulk"), "\(slug)")
        }
        let reader = try store.records()
        var (read, last): ([String], String) = ([], "")
        while case let page = try reader.records(after: last, limit: 7), let end = page.last {
            read += page.map(\.slug.text)
            last = end.slug.text
        }
        let all = Set(slugs + ["b-70", "b-71", "b-80-is-longer", "b-200"])
        #expect(read == all.filter { $0.count <= 10 }.sorted() + all.filter { $0.count > 10 }.sorted())
    }

    // MARK: Before

    @Test func `an earlier store comes along as it is`() async throws {
        let folder = try TemporaryFolder()
        let earlier = try folder.makeEarlierStore(steps: 2)
        try earlier.execute(
            """
            INSERT INTO account (name, created) VALUES ('ann', 1);
            INSERT INTO link (slug, url, title, created, owner, listed, removed, squeezed) VALUES
                ('short', 'https://example.com/1', 'One', 5, 1, 1, NULL, 1), ('longer-than-ten', 'https://example.com/2', NULL, 6, NULL, 0, NULL, NULL),
                ('gone', 'https://example.com/3', NULL, 7, NULL, 0, 8, NULL), (NULL, 'https://example.com/4', NULL, 7, NULL, 0, 8, NULL),
                ('ü', 'https://example.com/5', NULL, 7, NULL, 0, NULL, NULL);
            INSERT INTO listed_block VALUES (0);
            INSERT INTO collection (name, public, revision, created) VALUES ('set', 1, 0, 0);
            INSERT INTO collection_link VALUES (1, 1, 1), (1, 2, 2);
            INSERT INTO tag (name) VALUES ('t');
            INSERT INTO link_tag VALUES (1, 1);
            INSERT INTO description VALUES (2, 'two');
            INSERT INTO event (link, first_day, last_day, instructors, location) VALUES (2, '2026-01-01', '2026-01-02', 'i', 'l');
            """)
        let everything = """
            SELECT 'link' || id || quote(slug) || quote(url) || quote(title) || quote(created) || quote(expires) || quote(owner)
                || quote(listed) || quote(removed) || quote(squeezed) FROM link
            UNION ALL SELECT 'member' || collection || position || link FROM collection_link
            UNION ALL SELECT 'drawn' || collection || tag || ordinal || link FROM tagged_member
            UNION ALL SELECT 'tag' || link || tag FROM link_tag UNION ALL SELECT 'said' || link || text FROM description
            UNION ALL SELECT 'event' || link || first_day FROM event UNION ALL SELECT 'set' || id || revision FROM collection
            """
        let before = try earlier.texts(everything)
        let steps = Lock<[String]>([])
        let store = try folder.open { $0.onStep = { name in steps.withLock { $0.append(name) } } }
        defer { store.close() }
        #expect(steps.withLock { $0 } == ["0003-targets"])
        let after = try Connection(folder.database, .read).texts(everything)
        #expect(before == after && before.count == 14)
        #expect(
            try await store.targets(["short", "longer-than-ten", "gone"]).map { $0?.longURL.text }
                == ["https://example.com/1", "https://example.com/2", nil])
        #expect(try store.walk(.listed).map(\.slug.text) == ["short"])
        #expect(try soundness(of: folder) == [])
        // What refers to the table still does, and what watches it.
        let file = try outsider(folder.database, "PRAGMA foreign_keys = ON")
        #expect(throws: StoreError.self) { try file.execute("DELETE FROM link WHERE slug = 'longer-than-ten'") }
        #expect(try await store.removing("short"))
        #expect(try file.number("SELECT count(*) FROM collection_link") == 1)
        try await store.adding("gone", "https://example.com/6")
        #expect(try soundness(of: folder) == [])
    }

    @Test(arguments: [0, 1] as [Int64])
    func `steps leave their connection as it was, also where they cannot be taken`(secureDelete: Int64) throws {
        let folder = try TemporaryFolder()
        let other = try folder.makeEarlierStore(steps: 2)
        let connection = try outsider(
            folder.database, "PRAGMA foreign_keys = ON; PRAGMA secure_delete = \(secureDelete)")
        let schema = Schema(migrations: Migration.builtIn)
        func expectUsual() throws {
            #expect(try connection.number("PRAGMA foreign_keys") == 1)
            #expect(try connection.number("PRAGMA secure_delete") == secureDelete)
        }
        try other.execute(SQL.beginWrite)
        #expect(throws: StoreError.busy) { try schema.migrate(connection) }
        try expectUsual()
        try other.execute(SQL.rollback)
        try schema.migrate(connection)
        try expectUsual()
    }
}
