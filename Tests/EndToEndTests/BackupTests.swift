// Backups as they are typed and as the daemon makes them, while the real program is at work.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct BackupTests {
    @Test func `a backup during steady adds holds everything acknowledged before it, and restores exactly`() throws {
        let daemon = try TestDaemon()
        let port = daemon.port
        let isDone = Flag()
        let backup = daemon.folder.file("backup.db")
        // Three write, the fourth adds `last` and backs up.
        let results = together(4) { writer -> ([String], Outcome?) in
            if writer < 3 { return (Self.write(port, prefix: "w\(writer)-", until: isDone), nil) }
            defer { isDone.raise() }
            usleep(300_000)
            guard (try? daemon.add("last", "https://example.com/last"))?.outcome == "SUCCESS" else { return ([], nil) }
            return ([], try? daemon.command("backup", backup))
        }
        let outcome = try #require(results.compactMap(\.1).first)
        #expect(outcome.isSuccess, "\(outcome.errors)")
        let line = /(.+): [\d,]+ links, [\d,]+ bytes, \d+\.\d s\n/
        #expect(outcome.output.wholeMatch(of: line)?.1 == "\(backup)")
        #expect(results.flatMap(\.0).count > 30)

        // A restore is refused while the daemon runs.
        let early = try daemon.command("restore", backup)
        #expect(early.ending == .exit(1) && early.errors.contains("in use by another shorty"), "\(early.errors)")
        // A killed daemon leaves its log.
        #expect(try daemon.stop(SIGKILL) == .signal(SIGKILL))
        #expect(FileManager.default.fileExists(atPath: daemon.database + "-wal"))

        let fresh = daemon.folder.file("fresh.db")
        for database in [fresh, daemon.database] {
            let restored = try Program.run(["restore", backup, "--database", database], in: daemon.folder)
            #expect(restored.isSuccess, "\(restored.errors)")
            // All but the header, in which SQLite counts changes.
            let pages = try [database, backup].map { try Data(contentsOf: URL(filePath: $0)).dropFirst(100) }
            #expect(pages[0] == pages[1])
            #expect(!FileManager.default.fileExists(atPath: database + "-wal"))
            #expect(restored.errors.contains("before-restore") == (database != fresh))
        }
        try daemon.start()
        #expect(try daemon.get("/last").location == "https://example.com/last")
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.command("verify").output.contains("is sound"))
        // Each writer's links are there from its first to some last one, without a gap: one moment's whole state.
        for writer in 0..<3 {
            let numbers = try daemon.sql("SELECT slug FROM link WHERE slug LIKE 'w\(writer)-%' ORDER BY id")
                .split(separator: "\n").compactMap { Int($0.dropFirst(3)) }
            #expect(numbers == Array(0..<numbers.count) && !numbers.isEmpty)
        }
    }

    /// Adds one link after another until the flag is raised; returns the slugs that were acknowledged.
    private static func write(_ port: UInt16, prefix: String, until isDone: Flag) -> [String] {
        var slugs: [String] = []
        guard let wire = try? Wire(.ipv4(port)) else { return [] }
        while !isDone.isRaised {
            let body = "key=my_key&url_slug=\(prefix)\(slugs.count)&url=https://example.com/"
            let head = "POST /api-add HTTP/1.1\r\nHost: s.test\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            guard (try? wire.send(head + body)) != nil, (try? wire.reply())?.outcome == "SUCCESS" else { return slugs }
            slugs.append("\(prefix)\(slugs.count)")
        }
        return slugs
    }

    private final class Flag: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var value = false
        var isRaised: Bool { lock.withLock { unsafe value } }
        func raise() { lock.withLock { unsafe value = true } }
    }

    @Test func `the daemon makes backups, keeps the newest, and says so`() throws {
        let folder = try TemporaryFolder()
        let shelf = folder.file("shelf")
        let daemon = try TestDaemon(
            ["BACKUP_EVERY": "1s", "BACKUP_KEEP": "2", "BACKUP_DIRECTORY": shelf], folder: folder)
        let names = { ((try? FileManager.default.contentsOfDirectory(atPath: shelf)) ?? []).sorted() }
        let first = try eventually("a backup") { names().first { $0.hasSuffix(".db") } }
        // A neighbour that only looks like one.
        try Data("mine".utf8).write(to: URL(filePath: shelf + "/shorty-2001.db"))
        _ = try eventually("a third one, and the first gone") { names().contains(first) ? nil : true }
        let kept = try eventually("two") { names().filter { $0 != "shorty-2001.db" }.count == 2 ? names() : nil }
        #expect(kept.contains("shorty-2001.db"))
        let health = try daemon.get("/healthz")
        #expect(health.status == 200)
        #expect(
            health.text.contains(/"lastBackup":\{"time":"20[^"]+Z","file":"shorty-\d{8}-\d{6}\.db","error":null\}/),
            "\(health.text)")
        #expect(!health.text.contains(shelf))
        #expect(try daemon.stop() == .exit(0))
        _ = try eventually("a backup in the log") { daemon.log.contains("backup written") ? true : nil }
        let newest = try #require(names().last { $0 != "shorty-2001.db" })
        #expect(try daemon.command("verify", shelf + "/" + newest).isSuccess)
    }

    @Test func `a scheduled backup that fails is in the health answer and in the log, and links go on`() throws {
        let folder = try TemporaryFolder()
        let shelf = try folder.write("a file", to: "shelf")
        let daemon = try TestDaemon(["BACKUP_EVERY": "1s", "BACKUP_DIRECTORY": shelf], folder: folder)
        let health = try eventually("a failure") {
            let reply = try daemon.get("/healthz")
            return reply.text.contains("lastBackup") ? reply : nil
        }
        #expect(health.status == 200 && health.text.contains(/"file":null,"error":"[^"]+"/), "\(health.text)")
        // The log is written a moment after the answer could be had.
        _ = try eventually("the failure in the log") {
            daemon.log.contains("backup failed") && daemon.log.contains(shelf) ? true : nil
        }
        #expect(try daemon.add("a", "https://example.com/").outcome == "SUCCESS")
    }

    @Test func `a restore is refused while a command uses the store`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("a", "https://example.com/")
        let backup = daemon.folder.file("b.db")
        #expect(try daemon.command("backup", backup).isSuccess)
        #expect(try daemon.stop() == .exit(0))
        let command = try Lock(daemon, begin: "BEGIN; SELECT count(*) FROM link")
        let refused = try daemon.command("restore", backup)
        #expect(refused.ending == .exit(1) && refused.errors.contains("in use by a command"), "\(refused.errors)")
        command.release(after: .zero)
        _ = try eventually("a restore") { try daemon.command("restore", backup).isSuccess ? true : nil }
    }

    @Test func `what commands add beside one restore after another is in the store or in what was moved aside`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("first", "https://example.com/")
        let backup = daemon.folder.file("b.db")
        #expect(try daemon.command("backup", backup).isSuccess)
        #expect(try daemon.stop() == .exit(0))
        let isDone = Flag()
        let haveAdded = [Flag(), Flag()]
        // Two add, the third restores until they have added some, however long a command takes to start.
        let added = together(3) { worker -> [String] in
            if worker == 2 {
                defer { isDone.raise() }
                var restores = 0
                while restores < 40 || !haveAdded.allSatisfy(\.isRaised) {
                    restores += 1
                    guard restores < 1_000, let outcome = try? daemon.command("restore", backup), outcome.isSuccess else {
                        return ["no restore"]
                    }
                }
                return []
            }
            var slugs: [String] = []
            while !isDone.isRaised {
                let slug = "w\(worker)-\(slugs.count)"
                guard let outcome = try? daemon.command("add", "https://example.com/", "--slug", slug), outcome.isSuccess
                else { return slugs + ["no add"] }
                slugs.append(slug)
                if slugs.count > 10 { haveAdded[worker].raise() }
            }
            return slugs
        }.flatMap { $0 }
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
        let files = names.filter { $0 == "s.db" || $0.wholeMatch(of: /s\.db\.before-restore-[-\d]+/) != nil }
        #expect(files.count > 40)
        var found: Set<String> = []
        for name in files {
            let file = daemon.folder.file(name)
            let verdict = try Program.run(["verify", file], in: daemon.folder)
            #expect(verdict.isSuccess, "\(verdict.errors)")
            let list = try Program.run(
                ["export", "--format", "csv", "--output", "-", "--database", file], in: daemon.folder)
            let lines = list.output.split(whereSeparator: \.isNewline)
            found.formUnion(lines.compactMap { $0.split(separator: ",").first.map(String.init) })
        }
        #expect(Set(added).subtracting(found) == [])
    }

    @Test func `a full disk leaves the earlier backup as it was`() throws {
        let folder = try TemporaryFolder()
        let disk = try StoreFailureTests.SmallDisk(folder, megabytes: 4)
        let daemon = try TestDaemon(folder: folder)
        try daemon.fill(1_000)
        let backup = disk.path + "/b.db"
        #expect(try daemon.command("backup", backup).isSuccess)
        let before = try Data(contentsOf: URL(filePath: backup))
        try disk.fill()
        let refused = try daemon.command("backup", backup)
        #expect(refused.ending == .exit(1) && refused.errors.contains("no room"), "\(refused.errors)")
        #expect(try Data(contentsOf: URL(filePath: backup)) == before)
        try disk.free()
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["b.db"])
        #expect(try daemon.command("backup", backup).isSuccess)
    }
}
