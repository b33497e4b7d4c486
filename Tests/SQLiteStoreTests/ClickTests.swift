import Foundation
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct ClickTests {
    private func count(_ link: Int64, _ visits: UInt32) -> ClickCount {
        ClickCount(link: LinkID(rawValue: link), visits: visits)
    }

    private func pairs(_ batch: ClickBatch?) -> [[Int64]] {
        guard let batch else { return [] }
        var pairs: [[Int64]] = []
        var cursor = ClickCursor(batch.packed)
        while let (link, visits) = cursor.current {
            pairs.append([link, visits])
            cursor.advance()
        }
        return pairs
    }

    @Test func `a batch unpacks to what went in, sorted and added up`() {
        let batch = ClickBatch([count(300, 1), count(5, 200), count(300, 2), count(Int64.max, .max), count(1, 1)])
        #expect(pairs(batch) == [[1, 1], [5, 200], [300, 3], [Int64.max, Int64(UInt32.max)]])
        #expect(ClickBatch([]) == nil)
    }

    @Test func `a batch of neighbours takes two bytes a link`() throws {
        let batch = try #require(ClickBatch((1...1000).map { count($0, 1) }))
        #expect(batch.packed.count == 2000)
    }

    @Test func `bytes that are no batch end early`() {
        for packed: [UInt8] in [[], [1], [0x80], [1, 0x80], Array(repeating: 0xff, count: 40), [1, 1, 2]] {
            var cursor = ClickCursor(packed)
            var steps = 0
            while cursor.current != nil, steps < 100 {
                cursor.advance()
                steps += 1
            }
            #expect(steps < 2)
        }
    }

    @Test func `clicks survive folding, and a listing never counts one twice`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open {
            $0.isDaemon = true; $0.foldInterval = 1
        }
        defer { store.close() }
        var links: [LinkID] = []
        for number in 0..<20 { links.append(try await store.adding("s\(number)", "https://example.com/")) }
        // More links than one slice folds, so that a look may fall between two.
        let others = (1000..<8000).map { count($0, 1) }
        let look = try Connection(folder.database, .read)
        var expected: Int64 = 0
        let end = ContinuousClock.now + .seconds(3)
        while ContinuousClock.now < end {
            try await store.recording(links.map { ClickCount(link: $0, visits: 3) } + others)
            expected += 3
            #expect(try store.walk(.all).map(\.clicks) == Array(repeating: expected, count: 20))
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try look.number("SELECT count(*) FROM click") > 0, "it was folded meanwhile")
    }

    @Test func `a daemon's clean end folds all clicks, and they are there after it`() async throws {
        let folder = try TemporaryFolder()
        var store = try folder.open { $0.isDaemon = true }
        let id = try await store.adding("a", "https://example.com/")
        for _ in 0..<100 { try await store.recording([ClickCount(link: id, visits: 2)]) }
        store.close()
        let look = try Connection(folder.database, .read)
        #expect(try look.number("SELECT count(*) FROM click_batch") == 0)
        #expect(try look.number("SELECT n FROM click") == 200)
        store = try folder.open()
        defer { store.close() }
        #expect(try store.link(Slug(stored: "a"))?.clicks == 200)
    }

    @Test func `a folding that is cut after any slice is finished by the next one`() async throws {
        let folder = try TemporaryFolder()
        let setUp = try folder.open()
        let first = try await setUp.adding("first", "https://example.com/")
        let last = LinkID(rawValue: 9000)
        let batch = [ClickCount(link: first, visits: 1)] + (2000..<9000).map { count($0, 2) }
        for _ in 0..<3 { try await setUp.recording(batch + [ClickCount(link: last, visits: 5)]) }
        setUp.close()

        let connection = try Connection(folder.database, .write)
        for _ in 0..<2 {
            // Each begins where the one before was cut.
            let fold = try #require(try ClickFold(WriteSession(connection)))
            #expect(try !fold.step())
        }
        let store = try folder.open()
        #expect(try store.link(Slug(stored: "first"))?.clicks == 3, "already folded, not counted in the batches again")
        try await store.recording([ClickCount(link: first, visits: 1)])
        #expect(try store.link(Slug(stored: "first"))?.clicks == 4, "a later batch counts in full")
        store.close()

        var foldings = 0
        while let fold = try ClickFold(WriteSession(connection)) {
            while try !fold.step() {}
            foldings += 1
        }
        #expect(foldings == 2)
        #expect(try connection.number("SELECT n FROM click WHERE link = \(first.rawValue)") == 4)
        #expect(try connection.number("SELECT n FROM click WHERE link = 9000") == 15)
        let sum: Int64 = 4 + 7000 * 6 + 15
        #expect(try connection.number("SELECT sum(n) FROM click") == sum)
        #expect(try connection.number("SELECT count(*) FROM click_batch") == 0)
    }
}
