// The store beside other connections of the same file.
import Foundation
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct SharingTests {
    @Test func `an add waits while another connection holds the write lock`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.isDaemon = true }
        defer { store.close() }
        try await store.adding("before", "https://example.com/")
        let other = try outsider(folder.database, "BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        async let added = store.adding("during", "https://example.com/")
        try await Task.sleep(for: .milliseconds(500))
        // Answered while the lock is still held, or never.
        #expect(try await store.url("before") != nil, "reads go on")
        try await Task.sleep(for: .milliseconds(500))
        try other.execute("COMMIT")
        _ = try await added
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(try await store.url("during") != nil)
    }

    @Test func `beyond its wait an add is told that the store is busy`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.writeWait = .milliseconds(300) }
        defer { store.close() }
        let other = try outsider(folder.database, "BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        await #expect(throws: StoreError.busy) { try await store.adding(chosen("late")) }
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(throws: StoreError.busy) { try store.checkHealth() }
        try other.execute("COMMIT")
        #expect(try await store.url("late") == nil)
        try store.checkHealth()
        try await store.adding("late", "https://example.com/")
    }

    @Test func `another connection's commit moves all generations within 200 ms, an own one does not`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.isDaemon = true }
        defer { store.close() }
        let command = try folder.open()
        defer { command.close() }
        let other = Slug(stored: "unrelated")
        try await Task.sleep(for: .milliseconds(250))
        let start = store.generations.generation(of: other)
        try await store.adding("own", "https://example.com/")
        try await Task.sleep(for: .milliseconds(250))
        #expect(store.generations.generation(of: other) == start)
        try await command.adding("foreign", "https://example.com/")
        let committed = ContinuousClock.now
        while store.generations.generation(of: other) == start, ContinuousClock.now - committed < .seconds(2) {
            try await Task.sleep(for: .milliseconds(5))
        }
        // 200 ms are promised; the rest is for a machine that runs all tests at once.
        #expect(ContinuousClock.now - committed < .milliseconds(400))
        #expect(try await store.url("foreign") != nil)
    }

    @Test func `stores on one file share the slugs`() async throws {
        let folder = try TemporaryFolder()
        let stores = try [folder.open { $0.isDaemon = true }, folder.open(), folder.open()]
        defer { for store in stores { store.close() } }
        let added = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<90 {
                group.addTask {
                    let outcome = try await stores[number % 3].adding(chosen("s\(number / 3)"))
                    if case .added = outcome { return true }
                    return false
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(added == 30)
        #expect(try stores[1].walk(.all).count == 30)
    }

    @Test func `a full file refuses links, answers questions, and takes links again when there is room`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.writeWait = .milliseconds(200) }
        defer { store.close() }
        try await store.adding("a", "https://example.com/")
        // SQLite's own way to a full disk: the file may not grow. It holds for a connection, so the writer's is asked.
        try store.limitPages(to: 1)
        await #expect(throws: StoreError.full) {
            for number in 0..<1000 {
                _ = try await store.adding(
                    chosen("s\(number)", "https://example.com/" + String(repeating: "x", count: 400)))
            }
        }
        #expect(try await store.url("a") == "https://example.com/", "reads go on")
        try store.limitPages(to: 1_000_000)
        try store.checkHealth()
        try await store.adding("b", "https://example.com/")
        #expect(try store.verify() == [])
    }
}
