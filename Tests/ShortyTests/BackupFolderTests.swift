// Which files count as the daemon's backups, and what is typed for them.
import Foundation
import Glibc
import Telemetry
import Testing
import Web

@testable import Shorty

@Suite struct BackupFolderTests {
    @Test(arguments: [
        ("shorty-20300102-030405.db", true), ("shorty-20300102-030405.db-wal", false), ("shorty-2030010a-030405.db", false),
        ("shorty-20300102-030405.9b", false), ("shorty.db", false), ("xhorty-20300102-030405.db", false), ("", false),
    ])
    func `only names that the daemon gives are its backups`(name: String, isOne: Bool) {
        #expect(BackupFolder.isBackup(name) == isOne)
    }

    @Test func `the oldest go, and what was left unfinished; nothing else does`() throws {
        let stage = try Rehearsal()
        let names = [
            "shorty-20300101-000000.db", "shorty-20300103-000000.db", "shorty-20300102-000000.db", "shorty.db", "notes",
            "shorty-20300101-000000.db.partial-77", "shorty.db.partial-77",
        ]
        for name in names { try stage.write("", to: name) }
        let folder = BackupFolder(path: stage.folder.path)
        folder.prune(to: 2, written: names[1])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: stage.folder.path).sorted()
                == ["notes", names[2], names[1], "shorty.db", "shorty.db.partial-77"].sorted())
        #expect(folder.backups == [names[2], names[1]])
        #expect(try #require(folder.newest(now: Int64(time(nil)))).name == names[1])
        #expect(BackupFolder.isBackup(BackupFolder.name(.now)))
        #expect(BackupFolder(path: "/nowhere").backups == [] && BackupFolder(path: "/nowhere").newest(now: 0) == nil)
    }

    @Test func `a clock that was ahead costs no backup that is written after it`() throws {
        let stage = try Rehearsal()
        let (ahead, later) = ("shorty-20371101-000000.db", "shorty-20371102-000000.db")
        let (old, new) = ("shorty-20300101-000000.db", "shorty-20300102-000000.db")
        for name in [ahead, later, old, new] { try stage.write("", to: name) }
        let folder = BackupFolder(path: stage.folder.path)
        folder.prune(to: 3, written: new)
        #expect(folder.backups == [old, new, later])
        folder.prune(to: 2, written: new)
        #expect(folder.backups == [old, new])
        folder.prune(to: 1, written: new)
        #expect(folder.backups == [new])
        let name = stage.folder.appendingPathComponent(new).path
        let written = try #require(FileManager.default.attributesOfItem(atPath: name)[.modificationDate] as? Date)
        let now = Int64(written.timeIntervalSince1970)
        #expect(try #require(folder.newest(now: now)) == (new, now))
        #expect(folder.newest(now: now - 1) == nil, "the next one is due at once")
    }

    @Test func `a start takes up the last backup of an earlier run, and waits from then on`() throws {
        let stage = try Rehearsal()
        try stage.write("", to: "shorty-20300101-000000.db")
        let plan = BackupPlan(every: .seconds(3_600), keep: 1, directory: stage.folder.path, database: stage.database)
        let schedule = BackupSchedule(plan, log: Log(level: .error))
        #expect(schedule.last == nil)
        schedule.start()
        #expect(schedule.last?.file == "shorty-20300101-000000.db" && schedule.last?.error == nil)
        usleep(200_000)
        #expect(schedule.last?.error == nil, "nothing was tried, there is no store")
    }

    @Test func `backup, verify and restore work from the command line`() throws {
        let stage = try Rehearsal()
        #expect(try stage.run("add", "https://example.com/", "--slug", "a").code == 0)
        let backup = stage.folder.appendingPathComponent("b.db").path
        let made = try stage.run("backup", backup)
        #expect(made.code == 0 && made.output.hasPrefix("\(backup): 1 link, ") && made.errors.isEmpty)
        #expect(try stage.run("verify", backup).output == "\(backup) is sound: 1 link\n")
        #expect(try stage.run("verify").output == "\(stage.database) is sound: 1 link\n")
        #expect(try stage.run("remove", "a").code == 0)
        let restored = try stage.run("restore", backup)
        #expect(restored.code == 0 && restored.errors.contains(".before-restore-2"), "\(restored.errors)")
        #expect(try stage.run("list").output.contains("  a  "))
        #expect(try stage.run("backup").code == 2)
        #expect(try stage.run("restore").code == 2)
        #expect(try stage.run("verify", "/nowhere/x.db").code == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can leave files of root"))
    func `a restore by root leaves the store to its owner`() throws {
        let stage = try Rehearsal()
        #expect(try stage.run("add", "https://example.com/").code == 0)
        let backup = stage.folder.appendingPathComponent("b.db").path
        #expect(try stage.run("backup", backup).code == 0)
        #expect(unsafe chown(stage.database, 12_345, 12_346) == 0)
        #expect(try stage.run("restore", backup).code == 0)
        let facts = try FileManager.default.attributesOfItem(atPath: stage.database)
        #expect(facts[.ownerAccountID] as? Int == 12_345 && facts[.groupOwnerAccountID] as? Int == 12_346)
        #expect(facts[.posixPermissions] as? Int == 0o600)
    }
}
