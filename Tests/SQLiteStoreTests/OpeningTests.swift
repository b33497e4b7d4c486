import Foundation
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct OpeningTests {
    /// Expects a file to be refused with one line that names it, and nothing in its folder to be changed.
    private func expectRefusal(
        _ folder: TemporaryFolder, mentioning words: String, options: (inout SQLiteStore.Options) -> Void = { _ in },
        location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try folder.contents()
        do {
            try folder.open(options).close()
            Issue.record("the file was accepted", sourceLocation: location)
        } catch .unusable(let text) {
            #expect(text.contains(folder.database), sourceLocation: location)
            #expect(text.contains(words), "\(text)", sourceLocation: location)
            #expect(!text.contains("\n"), sourceLocation: location)
        } catch {
            Issue.record("\(error)", sourceLocation: location)
        }
        #expect(try folder.contents() == before, "something was changed", sourceLocation: location)
    }

    /// A closed store with some links.
    private func filled(_ links: Int = 500) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        for number in 0..<links { _ = try store.add(chosen("s\(number)", "https://example.com/\(number)")) }
        store.close()
        return folder
    }

    @Test func `a missing file is made, private to its user`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        let facts = try FileManager.default.attributesOfItem(atPath: folder.database)
        #expect(facts[.posixPermissions] as? Int == 0o600)
        let look = try Connection(folder.database, .read)
        #expect(try look.number("PRAGMA application_id") == Int64(Inspection.applicationID))
        #expect(try look.texts("PRAGMA journal_mode") == ["wal"])
    }

    @Test func `a missing file is not made where that is not wanted`() throws {
        let folder = try TemporaryFolder()
        try expectRefusal(folder, mentioning: "does not exist") { $0.createIfMissing = false }
    }

    @Test func `an empty file becomes ours, in a folder with an odd name too`() throws {
        let folder = try TemporaryFolder()
        let odd = folder.path + "/50% of a?b#c ü"
        try FileManager.default.createDirectory(atPath: odd, withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: odd + "/links.db"))
        for _ in 0..<2 {
            let store = try SQLiteStore.open(file: odd + "/links.db")
            #expect(try store.verify() == [])
            store.close()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: odd) == ["links.db"])
    }

    @Test func `another program's database is refused`() throws {
        let folder = try TemporaryFolder()
        _ = try outsider(folder.database, "CREATE TABLE t (a)")
        try expectRefusal(folder, mentioning: "another program")
    }

    @Test func `another program's database that is in use with a log is refused`() throws {
        let folder = try TemporaryFolder()
        let other = try outsider(folder.database, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let before = try folder.contents()
        #expect(throws: StoreError.self) { try folder.open() }
        let after = try folder.contents()
        for name in ["links.db", "links.db-wal"] { #expect(before[name] == after[name]) }
        #expect(try other.number("SELECT a FROM t") == 1)
    }

    @Test func `a database with a name on it but no tables is refused`() throws {
        let folder = try TemporaryFolder()
        _ = try outsider(folder.database, "PRAGMA application_id = 7")
        try expectRefusal(folder, mentioning: "another program")
    }

    @Test func `a file that is no database is refused`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Data(repeating: 0x41, count: 10_000))
        try expectRefusal(folder, mentioning: "not a database")
        try folder.write(Data("short".utf8))
        try expectRefusal(folder, mentioning: "not a database")
    }

    @Test func `a truncated file is refused`() throws {
        for length in [50, 100, 1000, 4096, 10_000] {
            let folder = try filled()
            let whole = try folder.read()
            #expect(whole.count > 20_000)
            try folder.write(whole.prefix(length))
            try expectRefusal(folder, mentioning: folder.database)
        }
        let folder = try filled()
        try folder.write(folder.read().dropLast(1))
        try expectRefusal(folder, mentioning: "damaged") { $0.isDaemon = true }
    }

    @Test func `a damaged file is refused`() throws {
        for start in [0, 40, 100, 4096, 8192] {
            let folder = try filled()
            var bytes = try folder.read()
            for index in start..<(start + 60) { bytes[index] ^= 0xa5 }
            try folder.write(bytes)
            try expectRefusal(folder, mentioning: folder.database) { $0.isDaemon = true }
        }
    }

    @Test func `a file written by a newer program is refused`() throws {
        let folder = try TemporaryFolder()
        let next = Migration(number: 9, name: "0009-later", sql: "CREATE TABLE later (a INTEGER) STRICT")
        try folder.open { $0.migrations.append(next) }.close()
        try expectRefusal(folder, mentioning: "newer")
        try folder.open { $0.migrations.append(next) }.close()
    }

    @Test func `a file whose steps were others is refused`() throws {
        let folder = try filled(3)
        try expectRefusal(folder, mentioning: "digest") { options in
            let first = options.migrations[0]
            options.migrations[0] = Migration(number: first.number, name: first.name, sql: first.sql + " ")
        }
    }

    @Test func `a log without its file is not thrown away`() throws {
        let folder = try TemporaryFolder()
        try Data(repeating: 1, count: 100).write(to: URL(fileURLWithPath: folder.database + "-wal"))
        try expectRefusal(folder, mentioning: "-wal")
    }

    /// What a kill leaves: a database with what was written last in its log alone.
    private func killed(_ links: Int) throws -> (folder: TemporaryFolder, log: Data) {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        for number in 0..<links { _ = try store.add(chosen("s\(number)", "https://example.com/\(number)")) }
        let file = try folder.read()
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
        store.close()
        try folder.write(file)
        return (folder, log)
    }

    // In the header's mark, its page size, its salt and its sum, in the first frame, and between others.
    @Test(arguments: [0, 10, 18, 28, 50, 20_000, 100_000])
    func `a log that went bad before its end is refused and kept`(place: Int) throws {
        let (folder, whole) = try killed(50)
        try #require(whole.count > 150_000)
        let file = try folder.read()
        var log = whole
        for index in place..<(place + 3) { log[index] ^= 0x5a }
        try log.write(to: URL(fileURLWithPath: folder.database + "-wal"))
        for isDaemon in [true, false] {
            do {
                try folder.open { $0.isDaemon = isDaemon }.close()
                Issue.record("the log was accepted")
            } catch .unusable(let text) {
                #expect(text.contains("\(folder.database)-wal is damaged at byte ") && !text.contains("\n"), "\(text)")
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(throws: StoreError.self) { try SQLiteStore.verify(file: folder.database) }
        #expect(try folder.read() == file)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")) == log)
        // Whole again, all is there.
        try whole.write(to: URL(fileURLWithPath: folder.database + "-wal"))
        #expect(try SQLiteStore.verify(file: folder.database).links == 50)
    }

    @Test func `a log whose last change is torn is as a power cut leaves it`() throws {
        let (folder, whole) = try killed(50)
        var log = whole
        for index in (log.count - 3_000)..<(log.count - 2_990) { log[index] ^= 0x5a }
        for log in [log, whole.prefix(whole.count - 2_000), whole + Data(count: 20_000)] {
            try log.write(to: URL(fileURLWithPath: folder.database + "-wal"))
            #expect(try SQLiteStore.verify(file: folder.database).links >= 49)
        }
    }

    @Test func `what is left of an earlier round of the log is no damage`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.logLimit = 40 }
        for number in 0..<300 { _ = try store.add(chosen("s\(number)", "https://example.com/\(number)")) }
        let file = try folder.read()
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
        store.close()
        try folder.write(file)
        try log.write(to: URL(fileURLWithPath: folder.database + "-wal"))
        #expect(try SQLiteStore.verify(file: folder.database).links == 300)
    }

    @Test func `a symbolic link to a file that is not there is refused, one to a store is not`() throws {
        let folder = try TemporaryFolder()
        let target = folder.path + "/elsewhere.db"
        try FileManager.default.createSymbolicLink(atPath: folder.database, withDestinationPath: target)
        let words = "\(folder.database) is a symbolic link to a file that is not there. Name that file itself."
        #expect(throws: StoreError.unusable(words)) { try folder.open().close() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["links.db"])
        try SQLiteStore.open(file: target).close()
        #expect(try folder.open().path.hasSuffix("/elsewhere.db"))
    }

    @Test func `a folder, a missing folder and an empty name are refused`() throws {
        let folder = try TemporaryFolder()
        for name in [folder.path, folder.path + "/none/links.db", "", folder.path + "/none/"] {
            #expect(throws: StoreError.self) { try SQLiteStore.open(file: name) }
        }
        #expect(try folder.contents().isEmpty)
    }

    // Root reads and writes everything, so there is nothing to see for it.
    @Test(.enabled(if: geteuid() != 0))
    func `an unreadable file and an unwritable folder are refused, naming the user`() throws {
        let folder = try filled(3)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.database)
        #expect(throws: StoreError.self) { try folder.open() }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.database)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
        #expect(throws: StoreError.self) { try folder.open() }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        try folder.open().close()
    }

    @Test func `a step that fails leaves the file as the step before left it`() throws {
        let folder = try filled(3)
        let bad = Migration(number: 9, name: "0009-bad", sql: "CREATE TABLE half (a INTEGER) STRICT; SELECT nonsense;")
        #expect(throws: StoreError.self) { try folder.open { $0.migrations.append(bad) } }
        let store = try folder.open()
        defer { store.close() }
        #expect(try store.walk(.all).count == 3)
        let look = try Connection(folder.database, .read)
        #expect(try look.number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
    }

    @Test func `a command takes no step while an older daemon has the file`() throws {
        let folder = try filled(3)
        let next = Migration(number: 9, name: "0009-next", sql: "CREATE TABLE next (a INTEGER) STRICT")
        do {
            let lock = try StoreLock(database: folder.database)
            try folder.open().close()
            try expectRefusal(folder, mentioning: "older Shorty") { options in
                options.migrations.append(next)
                options.writeWait = .milliseconds(200)
            }
            try folder.open { options in
                options.migrations.append(next)
                options.isDaemon = true
            }.close()
            _ = consume lock
        }
        try folder.open { $0.migrations.append(next) }.close()
    }

    @Test func `a command takes the missing steps itself where no daemon runs`() throws {
        let folder = try filled(3)
        do { _ = try StoreLock(database: folder.database) }
        let next = Migration(number: 9, name: "0009-next", sql: "CREATE TABLE next (a INTEGER) STRICT")
        try folder.open { $0.migrations.append(next) }.close()
        let look = try Connection(folder.database, .read)
        #expect(try look.number("SELECT count(*) FROM migration WHERE number = 9") == 1)
    }

    @Test(arguments: [false, true])
    func `many that open one file at once end with one good schema`(isOld: Bool) async throws {
        for _ in 0..<5 {
            let folder = isOld ? try filled(3) : try TemporaryFolder()
            let next = Migration(number: 9, name: "0009-next", sql: "CREATE TABLE next (a INTEGER) STRICT")
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask { try folder.open { $0.migrations.append(next) }.close() }
                }
                try await group.waitForAll()
            }
            let look = try Connection(folder.database, .read)
            #expect(try look.number("SELECT count(*) FROM migration") == Migration.builtIn.count + 1)
            #expect(try look.texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test func `the lock is one daemon's, and free after it`() throws {
        let folder = try TemporaryFolder()
        do {
            let held = try StoreLock(database: folder.database)
            #expect(
                throws: StoreError.unusable(
                    "\(folder.database) is in use by another shorty. Stop that one, or name another file.")
            ) {
                _ = try StoreLock(
                    database: folder.path + "/../" + URL(fileURLWithPath: folder.path).lastPathComponent + "/links.db")
            }
            _ = consume held
        }
        _ = try StoreLock(database: folder.database)
        #expect(try folder.contents()["links.db"] == nil, "the lock makes no database")
    }
}
