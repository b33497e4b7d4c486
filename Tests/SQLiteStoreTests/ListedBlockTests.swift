// The public listing of a store in which few links are listed, and that its blocks hold all of them whoever stored them, and when.
import Foundation
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct ListedBlockTests {
    @Test func `the few listed links of many are found, in order, whatever the page size`() async throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 1000)
        let store = try folder.open()
        defer { store.close() }
        // The ids from 1001 on: the ends and beginnings of blocks, blocks with one, and blocks with none.
        let listed: Set = [1001, 1023, 1024, 1025, 1087, 1088, 1280, 1400]
        for id in 1001...1400 {
            let found = try await store.adding("t\(id)", "https://example.com/", isListed: listed.contains(id))
            try #require(found == LinkID(rawValue: Int64(id)))
        }
        _ = try await store.removing("t1024")
        let expected = listed.subtracting([1024]).sorted().map { "t\($0)" }
        for limit in [1, 2, 7, 1000] {
            #expect(try store.walk(.listed, limit: limit).map(\.slug.text) == expected)
        }
        let look = try Connection(folder.database, .read)
        #expect(try look.texts("SELECT number FROM listed_block") == ["15", "16", "17", "20", "21"])
    }

    @Test func `a page looks at a bounded number of links`() async throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 30_000)
        // As after the removal of all listed links.
        _ = try outsider(folder.database, "INSERT INTO listed_block SELECT DISTINCT id / 64 FROM link")
        let store = try folder.open()
        defer { store.close() }
        try await store.adding("last", "https://example.com/", isListed: true)
        let page = try store.links(.listed, after: nil, limit: 10)
        #expect(page.links.isEmpty && page.next == LinkID(rawValue: ReadSession.scanLimit))
        #expect(try store.walk(.listed).map(\.slug.text) == ["last"])
    }

    @Test func `a link whose first transaction was undone is listed all the same`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.isDaemon = true }
        defer { store.close() }
        let other = try outsider(folder.database, "BEGIN IMMEDIATE")
        // Both wait for the lock, and come into one transaction.
        async let good = store.adding("good", "https://example.com/", isListed: true)
        try await Task.sleep(for: .milliseconds(100))
        let nobodys = NewLink(
            slug: .chosen(Slug(stored: "bad")), longURL: LongURL(stored: "https://example.com/"),
            owner: AccountID(rawValue: 77))
        async let bad = store.adding(nobodys)
        try await Task.sleep(for: .milliseconds(100))
        try other.execute("COMMIT")
        _ = try await good
        do {
            Issue.record("stored: \(try await bad)")
        } catch is StoreError {}
        try await store.adding("next", "https://example.com/", isListed: true)
        #expect(try store.walk(.listed).map(\.slug.text) == ["good", "next"])
    }

    @Test func `imported links are listed`() throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 50)
        let bulk = try BulkInsert(StoreFile(folder.database))
        for part in 0..<2 {
            _ = try bulk.add(within: .zero) { links in
                links.removeAll()
                for row in 0..<300 {
                    links.append(
                        PackedNumbers(row: row, created: 1, clicks: 0, isListed: row == 0 || row == 14 || row == 299),
                        slug: Array("b\(part)-\(row)".utf8)[...], longURL: Array("https://example.com/".utf8)[...],
                        title: nil)
                }
                return true
            } refuse: { row, _, outcome in
                Issue.record("\(row): \(outcome)")
            }
        }
        let store = try folder.open()
        defer { store.close() }
        #expect(
            try store.walk(.listed).map(\.slug.text) == ["b0-0", "b0-14", "b0-299", "b1-0", "b1-14", "b1-299"])
    }

    @Test func `what an earlier Shorty listed is listed`() throws {
        let folder = try TemporaryFolder()
        let earlier = try folder.makeEarlierStore(steps: 1)
        try earlier.execute(
            """
            INSERT INTO link (slug, url, created, listed)
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
            SELECT 'e' || n, 'https://example.com/', 1, n % 100 = 0 FROM number
            """)
        let store = try folder.open()
        defer { store.close() }
        #expect(try store.walk(.listed).map(\.slug.text) == ["e100", "e200", "e300", "e400", "e500"])
        let look = try Connection(folder.database, .read)
        #expect(try look.number("SELECT count(*) FROM listed_block") == 5)
    }
}
