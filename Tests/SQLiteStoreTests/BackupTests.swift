// Backups and restores of closed and open stores, and what is refused.
import Foundation
import Glibc
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct BackupTests {
    /// A store with some links and a backup of it, in folders of their own.
    private struct Scene {
        let home = try? TemporaryFolder()
        let shelf = try? TemporaryFolder()
        var store: TemporaryFolder { get throws { try #require(home) } }
        var backup: TemporaryFolder { get throws { try #require(shelf) } }

        init(links: Int = 500) throws {
            let store = try store.open()
            for number in 0..<links { _ = try store.add(chosen("s\(number)", "https://example.com/\(number)")) }
            store.close()
        }

        @discardableResult func backUp() throws -> StoreCopy {
            try SQLiteStore.backUp(store.database, to: backup.database)
        }
    }

    /// Expects a refusal that names `words` and changes no file in the folders.
    private func expectRefusal(
        _ words: String, _ folders: TemporaryFolder..., location: SourceLocation = #_sourceLocation,
        _ deed: () throws -> Void
    ) throws {
        let before = try folders.map { try $0.contents() }
        do {
            try deed()
            Issue.record("it was done", sourceLocation: location)
        } catch let StoreError.unusable(text) {
            #expect(text.contains(words) && !text.contains("\n"), "\(text)", sourceLocation: location)
            let namesCopy = text.contains("damaged") && text.contains(".restoring")
            #expect(!namesCopy, "\(text)", sourceLocation: location)
        }
        #expect(try folders.map { try $0.contents() } == before, "something changed", sourceLocation: location)
    }

    /// A database without its header, in which SQLite counts changes.
    private func pages(_ folder: TemporaryFolder) throws -> Data { try folder.read().dropFirst(100) }

    @Test func `a backup is one private file with all links, and replaces an earlier one`() throws {
        let scene = try Scene()
        let first = try scene.backUp()
        #expect(first.links == 500)
        #expect(first.bytes == Int64(try scene.backup.read().count))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.backup.path) == ["links.db"])
        let facts = try FileManager.default.attributesOfItem(atPath: scene.backup.database)
        #expect(facts[.posixPermissions] as? Int == 0o600)
        let store = try scene.store.open()
        _ = try store.add(chosen("last"))
        // Only the log holds it yet.
        #expect(try scene.backUp().links == 501)
        store.close()
        let verdict = try SQLiteStore.verify(file: scene.backup.database)
        #expect(verdict.problems == [] && verdict.links == 501)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.backup.path) == ["links.db"])
    }

    @Test func `a restore gives exactly the backup, over an old log too`() throws {
        let scene = try Scene()
        try scene.backUp()
        let fresh = try TemporaryFolder()
        #expect(try SQLiteStore.restore(scene.backup.database, to: fresh.database).setAside == nil)
        #expect(try pages(fresh) == pages(scene.backup))

        let used = try TemporaryFolder()
        let other = try used.open()
        for number in 0..<100 { _ = try other.add(chosen("other\(number)")) }
        let log = try Data(contentsOf: URL(fileURLWithPath: used.database + "-wal"))
        let file = try used.read()
        other.close()
        // As after a power cut, when the log was not worked off; and once with a log alone.
        for hasFile in [true, false] {
            try log.write(to: URL(fileURLWithPath: used.database + "-wal"))
            try Data(repeating: 7, count: 32_768).write(to: URL(fileURLWithPath: used.database + "-shm"))
            if hasFile { try used.write(file) } else { try FileManager.default.removeItem(atPath: used.database) }
            let aside = try #require(try SQLiteStore.restore(scene.backup.database, to: used.database).setAside)
            #expect(try pages(used) == pages(scene.backup))
            #expect(try Data(contentsOf: URL(fileURLWithPath: aside + "-wal")) == log)
            #expect(!FileManager.default.fileExists(atPath: used.database + "-wal"))
            #expect(!FileManager.default.fileExists(atPath: used.database + "-shm"))
            if hasFile {
                try? FileManager.default.removeItem(atPath: aside + "-shm")
                #expect(try SQLiteStore.verify(file: aside).links == 100, "what was there is kept whole")
            }
            let store = try used.open()
            #expect(try store.link(Slug(stored: "s499")) != nil)
            #expect(try store.link(Slug(stored: "other1")) == nil)
            store.close()
        }
    }

    @Test func `a damaged, cut, foreign, empty or missing backup is refused and nothing is touched`() throws {
        let scene = try Scene()
        try scene.backUp()
        let whole = try scene.backup.read()
        var bytes = whole
        for index in (bytes.count / 2)..<(bytes.count / 2 + 9_000) { bytes[index] ^= 0xa5 }
        let fresh = try TemporaryFolder()
        for (content, words) in [
            (bytes, "damaged"), (whole.prefix(whole.count - 4_096), "damaged"), (whole.prefix(5_000), "damaged"),
            (Data("slug,url\n".utf8), "not a database"), (Data(), "is empty"), (nil, "does not exist"),
        ] {
            if let content {
                try scene.backup.write(content)
            } else {
                try FileManager.default.removeItem(atPath: scene.backup.database)
            }
            for target in [try scene.store, fresh] {
                try expectRefusal(words, target, try scene.backup) {
                    _ = try SQLiteStore.restore(scene.backup.database, to: target.database)
                }
            }
        }
        _ = try outsider(scene.backup.database, "CREATE TABLE t (a)")
        try expectRefusal("another program", try scene.store, try scene.backup) {
            _ = try SQLiteStore.restore(scene.backup.database, to: scene.store.database)
        }
    }

    @Test func `a restore is refused while a daemon holds the store, and onto itself`() throws {
        let scene = try Scene()
        try scene.backUp()
        let lock = try StoreLock(database: scene.store.database)
        try expectRefusal("in use by another shorty", try scene.store) {
            _ = try SQLiteStore.restore(scene.backup.database, to: scene.store.database)
        }
        _ = consume lock
        try expectRefusal("the store itself", try scene.store) {
            _ = try SQLiteStore.restore(scene.store.database, to: scene.store.database)
        }
    }

    @Test func `a restore that was cut off keeps an empty store from being made, also after one that fails`() throws {
        let scene = try Scene(links: 3)
        try scene.backUp()
        let fresh = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: fresh.database + ".restoring"))
        try expectRefusal("cut off", fresh) { try fresh.open().close() }
        let backup = try scene.backup.read()
        try scene.backup.write(backup.prefix(backup.count / 2))
        try expectRefusal("damaged", fresh) {
            _ = try SQLiteStore.restore(scene.backup.database, to: fresh.database)
        }
        try expectRefusal("cut off", fresh) { try fresh.open().close() }
        try scene.backup.write(backup)
        _ = try SQLiteStore.restore(scene.backup.database, to: fresh.database)
        #expect(try Set(fresh.contents().keys) == ["links.db", "links.db.lock"])
        try fresh.open { $0.isDaemon = true }.close()
    }

    @Test func `what a cut restore has moved aside and what it has not come together`() throws {
        let scene = try Scene(links: 3)
        try scene.backUp()
        let used = try TemporaryFolder()
        let other = try used.open()
        for number in 0..<100 { _ = try other.add(chosen("other\(number)")) }
        let (file, log) = (try used.read(), try Data(contentsOf: URL(fileURLWithPath: used.database + "-wal")))
        other.close()
        // As a kill after the first of its renames leaves it, a while ago.
        let begin = Date(timeIntervalSince1970: 1_893_553_445)
        let aside = used.database + ".before-restore-20300102-030405"
        try file.write(to: URL(fileURLWithPath: aside))
        try log.write(to: URL(fileURLWithPath: used.database + "-wal"))
        try FileManager.default.removeItem(atPath: used.database)
        #expect(unsafe chmod(aside, 0o640) == 0)
        try Data("half".utf8).write(to: URL(fileURLWithPath: used.database + ".restoring.partial"))
        try scene.backup.read().write(to: URL(fileURLWithPath: used.database + ".restoring"))
        try FileManager.default.setAttributes([.modificationDate: begin], ofItemAtPath: used.database + ".restoring")
        #expect(try SQLiteStore.restore(scene.backup.database, to: used.database).setAside == aside)
        let asideName = "links.db.before-restore-20300102-030405"
        #expect(try Set(used.contents().keys) == ["links.db", "links.db.lock", asideName, asideName + "-wal"])
        #expect(try SQLiteStore.verify(file: aside).links == 100)
        #expect(try SQLiteStore.verify(file: used.database).links == 3)
        let facts = try FileManager.default.attributesOfItem(atPath: used.database)
        #expect(facts[.posixPermissions] as? Int == 0o640, "as the one that was moved aside has them")
        // Where all was moved already, it is said all the same.
        try FileManager.default.moveItem(atPath: used.database, toPath: used.database + ".restoring")
        #expect(try SQLiteStore.restore(scene.backup.database, to: used.database).setAside == aside)
        // The next ones are other exchanges. Each has a time of its own, by which alone one that takes over knows its name.
        let next = try (0..<4).map { _ in
            try #require(try SQLiteStore.restore(scene.backup.database, to: used.database).setAside)
        }
        #expect(Set(next).count == 4)
        #expect(next.allSatisfy { $0.contains(/\.before-restore-\d{8}-\d{6}$/) && !$0.contains("20300102") }, "\(next)")
    }

    @Test func `what a cut restore has left does not join another one's`() throws {
        let scene = try Scene(links: 3)
        try scene.backUp()
        let used = try TemporaryFolder()
        try scene.backup.read().write(to: URL(fileURLWithPath: used.database + ".restoring"))
        let begin = Date(timeIntervalSince1970: 1_893_553_445)
        try FileManager.default.setAttributes([.modificationDate: begin], ofItemAtPath: used.database + ".restoring")
        let earlier = used.database + ".before-restore-20300102-030405"
        for (name, text) in [(earlier + "-wal", "theirs"), (used.database + "-wal", "ours")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: name))
        }
        let aside = try #require(try SQLiteStore.restore(scene.backup.database, to: used.database).setAside)
        #expect(aside != earlier)
        #expect(try Data(contentsOf: URL(fileURLWithPath: earlier + "-wal")) == Data("theirs".utf8))
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside + "-wal")) == Data("ours".utf8))
    }

    @Test func `a store that was only begun is no sound one`() throws {
        let folder = try TemporaryFolder()
        _ = try outsider(folder.database, SQL.setApplicationID(Inspection.applicationID) + ";" + SQL.useWriteAheadLog)
        let other = try TemporaryFolder()
        try expectRefusal("holds nothing but a store's beginning", folder) {
            _ = try SQLiteStore.verify(file: folder.database)
        }
        try expectRefusal("holds nothing but a store's beginning", folder, other) {
            _ = try SQLiteStore.restore(folder.database, to: other.database)
        }
    }

    @Test func `a backup replaces nothing that is no backup`() throws {
        let scene = try Scene(links: 3)
        let shelf = try scene.backup
        try shelf.write(Data("my notes".utf8))
        try expectRefusal("no backup of Shorty", shelf, try scene.store) { try scene.backUp() }
        try FileManager.default.removeItem(atPath: shelf.database)
        _ = try outsider(shelf.database, "CREATE TABLE t (a)")
        try expectRefusal("no backup of Shorty", shelf, try scene.store) { try scene.backUp() }
        let home = try scene.store
        try FileManager.default.createSymbolicLink(atPath: home.path + "/link.db", withDestinationPath: home.database)
        for name in ["", "-wal", ".lock"] {
            try expectRefusal("the store itself", home) {
                _ = try SQLiteStore.backUp(home.database, to: home.database + name)
            }
        }
        try expectRefusal("the store itself", home) {
            _ = try SQLiteStore.backUp(home.database, to: home.path + "/link.db")
        }
        let other = try TemporaryFolder()
        let open = try other.open()
        _ = try open.add(chosen("a"))
        try expectRefusal("is a store", home) { _ = try SQLiteStore.backUp(home.database, to: other.database) }
        open.close()
    }

    @Test func `a damaged store gives no backup, and the earlier one stays`() throws {
        let scene = try Scene()
        try scene.backUp()
        var bytes = try scene.store.read()
        for index in (bytes.count / 2)..<(bytes.count / 2 + 9_000) { bytes[index] ^= 0xa5 }
        try scene.store.write(bytes)
        try expectRefusal("damaged", try scene.backup) { try scene.backUp() }
        let isSound = (try? SQLiteStore.verify(file: scene.store.database).problems.isEmpty) ?? false
        #expect(!isSound)
    }

    /// Puts in more than two steps' worth of pages.
    private func enlarge(_ folder: TemporaryFolder) throws {
        _ = try outsider(
            folder.database,
            """
            INSERT INTO link (slug, url, created, listed) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
            LIMIT 20000) SELECT 'l' || i, 'https://example.com/' || hex(zeroblob(200)), 0, 0 FROM n;
            INSERT OR IGNORE INTO target SELECT key, link, url FROM link_target
            """)
    }

    @Test func `a copy that is given up leaves nothing`() throws {
        let scene = try Scene()
        try enlarge(scene.store)
        #expect(throws: StoreError.closed) {
            _ = try SQLiteStore.backUp(scene.store.database, to: scene.backup.database) { _, _ in false }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.backup.path) == [])
    }

    @Test func `what is added while it copies is not in it, and does not start it over`() throws {
        let scene = try Scene(links: 10)
        try enlarge(scene.store)
        let store = try scene.store.open()
        defer { store.close() }
        var reached: [Int] = []
        let copy = try SQLiteStore.backUp(scene.store.database, to: scene.backup.database) { done, _ in
            reached.append(done)
            if reached.count < 3 { _ = try? store.add(chosen("late\(reached.count)")) }
            return reached.count < 100
        }
        #expect(copy.links == 20_010)
        #expect(reached.count > 2 && reached == reached.sorted())
        #expect(try store.link(Slug(stored: "late1")) != nil)
    }

    @Test func `a damage that only a page shows is told with the name that was given`() throws {
        let scene = try Scene(links: 10)
        try enlarge(scene.store)
        try scene.backUp()
        var bytes = try scene.backup.read()
        bytes.replaceSubrange((4_096 * 900)..<(4_096 * 903), with: Data(count: 4_096 * 3))
        try scene.backup.write(bytes)
        let fresh = try TemporaryFolder()
        try expectRefusal("\(scene.backup.database) is damaged", fresh) {
            _ = try SQLiteStore.restore(scene.backup.database, to: fresh.database)
        }
    }
}
