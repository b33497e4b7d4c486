// What is no proof of a cut is none: a daemon that once says that its file was cut says so until it ends.
import Foundation
import Testing

@testable import SQLiteStore

@Suite struct OpenFilesTests {
    @Test func `a database in whose place something shorter stands is not called cut`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.isDaemon = true }
        defer { store.close() }
        try await store.adding("a", "https://example.com/")
        try Connection(folder.database, .write).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try StoreFile(folder.database)
        try #require(StoreFile.size(of: file.path) ?? 0 > 8192)
        let files = try OpenFiles(file)
        let aside = file.path + ".aside"
        try FileManager.default.moveItem(atPath: file.path, toPath: aside)
        // Shorter than any store, and nothing that SQLite opens.
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: (any Error).self, "its place is taken all the same") { try files.checkLength() }
        #expect(throws: (any Error).self) { try files.check() }
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.moveItem(atPath: aside, toPath: file.path)
        #expect(throws: Never.self) {
            try files.checkLength()
            try files.check()
        }
    }
}
