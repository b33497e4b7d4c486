// The write-ahead log: worked off while nobody else can commit, kept short, and left in peace while somebody reads it for long.
import Foundation
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct LogWorkTests {
    private func open(_ folder: TemporaryFolder, isDaemon: Bool) throws -> SQLiteStore {
        try folder.open {
            $0.isDaemon = isDaemon
            $0.logLimit = 12
        }
    }

    private func logSize(_ folder: TemporaryFolder) throws -> Int64 {
        try #require(StoreFile.size(of: folder.database + "-wal"))
    }

    @Test func `a daemon, a command and an import that write together keep the log short, with its write lock in hand`()
        async throws
    {
        let disk = try FaultyDisk()
        let stores = try [open(disk.folder, isDaemon: true), open(disk.folder, isDaemon: false)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    for index in 0..<400 { try await store.adding("s\(number)-\(index)", "https://example.com/\(index)") }
                }
            }
            group.addTask { try importLinks(10, of: 50, into: disk.folder.database) }
            try await group.waitForAll()
        }
        #expect(disk.unguardedWorks == 0)
        // Never worked off it would have some 2,400 pages and more.
        #expect(try logSize(disk.folder) < 1 << 20)
        #expect(try stores[1].walk(.all).count == 1300)
        for store in stores { store.close() }
        #expect(disk.unguardedWorks == 0, "at the end neither")
        #expect(StoreFile.size(of: disk.folder.database + "-wal") == nil)
    }

    /// In as many transactions.
    private func importLinks(_ times: Int, of count: Int, into database: String) throws {
        let bulk = try BulkInsert(StoreFile(database), logLimit: 12)
        for part in 0..<times {
            let fill = { (links: inout PackedLinks) -> Bool in
                links.removeAll()
                for row in 0..<count {
                    links.append(
                        PackedNumbers(row: row, created: 1, clicks: 0, isListed: true),
                        slug: Array("b\(part)-\(row)".utf8)[...],
                        longURL: Array("https://example.com/".utf8)[...], title: nil)
                }
                return true
            }
            let counts = try bulk.add(within: .zero, from: fill) { row, _, outcome in Issue.record("\(row): \(outcome)") }
            #expect(counts.added == count)
        }
    }

    @Test func `what somebody reads stays in the log, and when he goes the log begins anew`() async throws {
        let folder = try TemporaryFolder()
        let store = try open(folder, isDaemon: true)
        defer { store.close() }
        try await store.adding("before", "https://example.com/")
        let reader = try Connection(folder.database, .read)
        try reader.execute("BEGIN; SELECT count(*) FROM link")
        for index in 0..<100 { try await store.adding("s\(index)", "https://example.com/") }
        let long = try logSize(folder)
        #expect(long > 200 * 4096)
        try reader.execute("COMMIT")
        // Tried again after a second at the latest.
        try await Task.sleep(for: .milliseconds(1100))
        for index in 0..<100 { try await store.adding("t\(index)", "https://example.com/") }
        #expect(try logSize(folder) < long + 20 * 4096, "written from its beginning")
    }

    @Test
    func
        `a work that waits for a reader is whole when he goes, and leaves no transaction, not even one that was left open`()
        throws
    {
        let folder = try TemporaryFolder()
        let store = try open(folder, isDaemon: false)
        defer { store.close() }
        let writer = try Connection(folder.database, .write)
        let work = try LogWork(writer, limit: 1)
        let reader = try Connection(folder.database, .read)
        try reader.execute("BEGIN; SELECT count(*) FROM link")
        try writer.execute("CREATE TABLE more (a); INSERT INTO more VALUES (1); BEGIN IMMEDIATE")
        work.doSome()
        #expect(!writer.isInTransaction)
        let start = ContinuousClock.now
        // Nobody else uses it meanwhile.
        nonisolated(unsafe) let other = reader
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { unsafe try? other.execute("COMMIT") }
        work.doSome(waiting: .seconds(20))
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(!writer.isInTransaction)
        // All of it is in the file: whoever writes next begins at the log's beginning.
        let size = try logSize(folder)
        try writer.execute("INSERT INTO more VALUES (2)")
        #expect(writer.logPages < 3)
        #expect(try logSize(folder) == size)
    }
}
