import Foundation
import Sanitizer
import Shortening
import Synchronization
import Testing

@testable import SQLiteStore

@Suite struct SQLiteStoreTests {
    @Test(arguments: LinkStoreRule.all)
    func `the SQLite store keeps the contract`(rule: LinkStoreRule) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        try await rule.check(store)
        #expect(try store.verify() == [])
    }

    @Test(arguments: LinkStoreRule.all)
    func `a daemon's store keeps the contract`(rule: LinkStoreRule) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.isDaemon = true }
        defer { store.close() }
        try await rule.check(store)
    }

    @Test func `everything acknowledged is there after closing and opening`() async throws {
        let folder = try TemporaryFolder()
        var store = try folder.open()
        try await store.adding("kept", "https://example.com/kept")
        try await store.adding("gone", "https://example.com/gone")
        _ = try await store.removing("gone")
        let key = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1])))
        store.close()
        #expect(Set(try folder.contents().keys) == ["links.db"], "a clean end leaves one file")
        store = try folder.open()
        defer { store.close() }
        #expect(try await store.url("kept") == "https://example.com/kept")
        #expect(try await store.url("gone") == nil)
        #expect(try store.liveKeys().map(\.id) == [key.id])
    }

    @Test func `everything acknowledged is in the files when the process is killed`() async throws {
        let folder = try TemporaryFolder()
        let copy = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        for number in 0..<50 { try await store.adding("s\(number)", "https://example.com/\(number)") }
        // What a kill leaves: the files as they are, without the shared memory's index.
        for (name, bytes) in try folder.contents() where !name.hasSuffix("-shm") {
            try bytes.write(to: URL(fileURLWithPath: copy.path + "/" + name))
        }
        let revived = try copy.open { $0.isDaemon = true }
        defer { revived.close() }
        #expect(try revived.walk(.all).count == 50)
        #expect(try revived.verify() == [])
    }

    @Test func `calls after the end are refused, calls before it are finished`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        let outcomes = Atomic<Int>(0)
        for number in 0..<1500 {
            store.add(chosen("s\(number)")) {
                if case .success(.added) = $0 { outcomes.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        store.close()
        #expect(outcomes.load(ordering: .relaxed) == 1500)
        await #expect(throws: StoreError.closed) { try await store.adding(chosen("late")) }
        await #expect(throws: StoreError.closed) { try await store.targets(["s1"]) }
        #expect(throws: StoreError.closed) { try store.liveKeys() }
        #expect(throws: StoreError.closed) { try store.checkHealth() }
        store.close()
    }

    @Test func `one refused change fails alone`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        let nobody = NewLink(
            slug: .chosen(Slug(stored: "orphan")), longURL: LongURL(stored: "https://example.com/"),
            owner: AccountID(rawValue: 77))
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        _ = try await store.adding(number == 20 ? nobody : chosen("s\(number)"))
                        return true
                    } catch StoreError.failed {
                        return false
                    }
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.filter { $0 }.count == 39)
        #expect(try store.walk(.all).count == 39)
    }

    @Test func `a removed slug stays removed when choosing it again fails`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        try await store.adding("again", "https://example.com/")
        _ = try await store.removing("again")
        let nobody = NewLink(
            slug: .chosen(Slug(stored: "again")), longURL: LongURL(stored: "https://example.com/"),
            owner: AccountID(rawValue: 77))
        await #expect(throws: StoreError.self) { try await store.adding(nobody) }
        let look = try Connection(folder.database, .read)
        #expect(try look.number("SELECT count(*) FROM link WHERE slug = 'again' AND removed IS NOT NULL") == 1)
    }

    @Test(arguments: [false, true])
    func `a link of a 40-character URL takes at most 150 bytes of the file`(isListed: Bool) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        let owner = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1]))).account
        let generator = SlugGenerator(length: 6, reserved: ReservedNames([]))
        let count = Sanitizer.isOn ? 20_000 : 100_000
        let added = Atomic<Int>(0)
        for number in 0..<count {
            let url = "https://example.com/" + String(String(number + 1_000_000_000).reversed()) + "0123456789"
            let link = NewLink(
                slug: .generated(generator), longURL: LongURL(stored: url), owner: owner, isListed: isListed)
            store.add(link) { if case .success(.added) = $0 { added.wrappingAdd(1, ordering: .relaxed) } }
        }
        store.close()
        #expect(added.load(ordering: .relaxed) == count)
        let look = try Connection(folder.database, .read)
        let bytes = try look.number("PRAGMA page_count") * look.number("PRAGMA page_size")
        #expect(try Int64(folder.read().count) == bytes, "the log has been worked off")
        let each = Double(bytes) / Double(count)
        #expect(each <= 150, "\(each) bytes a link")
    }
}
