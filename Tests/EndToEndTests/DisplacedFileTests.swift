// Somebody moves, deletes, replaces or cuts the store's files under a running daemon. SQLite goes on with what it has open, so
// without a look at the names whatever is acknowledged then would be gone with the process.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct DisplacedFileTests {
    /// Expects that nothing is stored, that health and log say why, and that redirects go on.
    private func expectRefusal(_ daemon: TestDaemon, _ words: String, location: SourceLocation = #_sourceLocation) throws {
        let refused = try daemon.add("lost-\(UUID().uuidString)", "https://example.com/")
        #expect(refused.status == 503, sourceLocation: location)
        #expect(refused.outcome == "FAILURE", sourceLocation: location)
        // Of a file that was cut a reader may find pages missing before the writer looks at its length.
        let reasons = ["moved, replaced or cut", "out of order"]
        #expect(
            reasons.contains { refused.json?["Message"]?.contains($0) == true }, "\(refused.text)", sourceLocation: location
        )
        #expect(try daemon.get("/add/my_key/lost?url=https://example.com/").status == 503, sourceLocation: location)
        let health = try daemon.get("/healthz")
        #expect(health.status == 503, sourceLocation: location)
        #expect(health.json?["status"] == "degraded", sourceLocation: location)
        #expect(health.json?["reason"]?.contains("moved, replaced or cut") == true, sourceLocation: location)
        _ = try eventually("the log's word; it says: \(daemon.log)") {
            daemon.log.contains("nothing can be stored") && daemon.log.contains(words) ? true : nil
        }
        // One that is known, and one that is not.
        #expect(try daemon.get("/known").status == 302, sourceLocation: location)
    }

    private func expectCure(_ daemon: TestDaemon, location: SourceLocation = #_sourceLocation) throws {
        #expect(try daemon.get("/healthz").status == 200, sourceLocation: location)
        #expect(try daemon.add("cured", "https://example.com/cured").outcome == "SUCCESS", sourceLocation: location)
        _ = try eventually("the log's word") { daemon.log.contains("in their places again") ? true : nil }
        #expect(try daemon.stop() == .exit(0), sourceLocation: location)
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok", sourceLocation: location)
        let count = try daemon.sql(
            "SELECT count(*) FROM link WHERE slug IN ('known', 'unknown', 'cured') AND removed IS NULL")
        #expect(count == "3", sourceLocation: location)
        #expect(try daemon.visits("known") == 2, "visits of that time are kept", sourceLocation: location)
    }

    private func filled() throws -> TestDaemon {
        let daemon = try TestDaemon()
        for slug in ["known", "unknown"] { #expect(try daemon.add(slug, "https://example.com/").outcome == "SUCCESS") }
        #expect(try daemon.get("/known").status == 302)
        return daemon
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func `while a file has another name nothing is stored, and all is well when it has its own again`(suffix: String) throws
    {
        let daemon = try filled()
        let (name, other) = (daemon.database + suffix, daemon.folder.file("elsewhere"))
        try FileManager.default.moveItem(atPath: name, toPath: other)
        try expectRefusal(daemon, name)
        #expect(try daemon.get("/unknown").status == 302, "reads go on from what is open")
        try FileManager.default.moveItem(atPath: other, toPath: name)
        try expectCure(daemon)
    }

    @Test func `a hard link to the database is warned of`() throws {
        let daemon = try filled()
        #expect(!daemon.log.contains("hard links"))
        #expect(try daemon.stop() == .exit(0))
        try FileManager.default.linkItem(atPath: daemon.database, toPath: daemon.folder.file("other.db"))
        try daemon.start()
        #expect(daemon.log.contains("hard links") && daemon.log.contains("names=2"), "\(daemon.log)")
        #expect(try daemon.get("/known").status == 302)
    }

    @Test func `beside a file in its place nothing is stored, and at the end that one is left alone`() throws {
        let daemon = try filled()
        let aside = daemon.folder.file("aside.db")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.moveItem(atPath: daemon.database + suffix, toPath: aside + suffix)
        }
        // Another program's store in the same place, with what it wrote last in its log.
        let foreign = try Lock(
            daemon, begin: "PRAGMA journal_mode=WAL; CREATE TABLE other (a); INSERT INTO other VALUES (7); BEGIN")
        try expectRefusal(daemon, daemon.database)
        #expect(try daemon.get("/unknown").status == 302)
        #expect(try daemon.stop() == .exit(0))
        #expect(FileManager.default.fileExists(atPath: daemon.database + "-wal"), "the other's log is not deleted")
        foreign.release(after: .zero)
        #expect(try daemon.sql("SELECT a FROM other; PRAGMA integrity_check") == "7\nok")
        // What was moved is whole, with its log.
        let links = try Program.run(
            tool: "sqlite3", [aside, "SELECT count(*) FROM link; PRAGMA integrity_check"], in: daemon.folder)
        #expect(links.output == "2\nok\n")
    }

    @Test func `after a cut nothing is stored until a restart`() throws {
        let daemon = try filled()
        try daemon.fill(5_000)
        try daemon.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try daemon.add("seen", "https://example.com/").outcome == "SUCCESS", "the daemon sees the file's length")
        // Once it has noticed another program's change, it looks no more, and what is cached is answered whatever becomes of the file.
        try daemon.sql("UPDATE link SET url = 'https://example.com/changed' WHERE slug = 'known'")
        _ = try eventually("another program's change") {
            try daemon.get("/known").location == "https://example.com/changed" ? true : nil
        }
        let whole = try Data(contentsOf: URL(filePath: daemon.database))
        for length in [whole.count / 2, 0] {
            #expect(unsafe truncate(daemon.database, length) == 0)
            try expectRefusal(daemon, "was cut short")
        }
        // Even where the length is right again: what lies there now may be anything.
        #expect(unsafe truncate(daemon.database, whole.count) == 0)
        try expectRefusal(daemon, "was cut short")
        #expect(daemon.child.poll() == nil)
    }

    @Test(arguments: [0, 32, 20_000])
    func `after a cut of the log nothing is stored until a restart`(length: Int) throws {
        let daemon = try filled()
        for index in 0..<20 { #expect(try daemon.add("s\(index)", "https://example.com/").outcome == "SUCCESS") }
        #expect(unsafe truncate(daemon.database + "-wal", length) == 0)
        try expectRefusal(daemon, "s.db-wal was cut short")
        #expect(try daemon.stop(SIGKILL) == .signal(SIGKILL))
        // Whatever was in the log alone is gone; the store is whole and goes on.
        try daemon.start()
        #expect(try daemon.add("after", "https://example.com/").outcome == "SUCCESS")
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.command("verify").isSuccess)
    }

    @Test(arguments: ["", "-wal"])
    func `a symbolic link in a file's place is not the file`(suffix: String) throws {
        let daemon = try filled()
        let (name, other) = (daemon.database + suffix, daemon.folder.file("elsewhere"))
        try FileManager.default.moveItem(atPath: name, toPath: other)
        try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: other)
        try expectRefusal(daemon, name)
        try FileManager.default.removeItem(atPath: name)
        try FileManager.default.moveItem(atPath: other, toPath: name)
        try expectCure(daemon)
    }

    @Test func `what is written behind a VACUUM makes a file that is shorter than the store, and no cut`() throws {
        let daemon = try filled()
        for round in 0..<6 {
            // In one session, so that all of it falls between two looks of the daemon's now and then.
            try daemon.sql(
                """
                CREATE TABLE IF NOT EXISTS filler (a); BEGIN;
                WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                INSERT INTO filler SELECT zeroblob(4000) FROM n; COMMIT; PRAGMA wal_checkpoint(TRUNCATE);
                """)
            #expect(try daemon.add("r\(round)", "https://example.com/").outcome == "SUCCESS", "the length is seen")
            try daemon.sql(
                """
                DROP TABLE filler; VACUUM; PRAGMA wal_checkpoint(\(round.isMultiple(of: 2) ? "PASSIVE" : "TRUNCATE"));
                CREATE TABLE filler (a);
                INSERT INTO filler SELECT zeroblob(4000) FROM (SELECT 1 FROM sqlite_schema, sqlite_schema LIMIT 60);
                """)
            usleep(100_000)
            #expect(try daemon.get("/healthz").status == 200, "\(daemon.log)")
            #expect(try daemon.add("s\(round)", "https://example.com/").outcome == "SUCCESS", "\(daemon.log)")
        }
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok")
    }

    @Test func `a VACUUM beside the daemon is no cut`() throws {
        let daemon = try filled()
        try daemon.fill(5_000)
        try daemon.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try daemon.add("seen", "https://example.com/").outcome == "SUCCESS", "the daemon sees the file's length")
        try daemon.sql("DELETE FROM link WHERE slug NOT IN ('known', 'unknown')")
        let before = try #require(FileManager.default.attributesOfItem(atPath: daemon.database)[.size] as? Int)
        try daemon.sql("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        let after = try #require(FileManager.default.attributesOfItem(atPath: daemon.database)[.size] as? Int)
        #expect(after < before)
        for index in 0..<20 { #expect(try daemon.add("v\(index)", "https://example.com/").outcome == "SUCCESS") }
        #expect(try daemon.get("/healthz").status == 200)
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok")
    }
}
