// Who may use a store's files at the same time.
import Foundation
import Glibc
import Shortening
import Testing

@testable import SQLiteStore

@Suite struct LockFileTests {
    private func lock(in folder: TemporaryFolder, wait: Duration = .zero) throws -> LockFile {
        try #require(try LockFile(sharing: StoreFile(folder.database), makes: true, until: Deadline(after: wait)))
    }

    private func isThere(_ folder: TemporaryFolder) -> Bool {
        FileManager.default.fileExists(atPath: folder.database + ".lock")
    }

    @Test func `many share it, and one has it alone`() throws {
        let folder = try TemporaryFolder()
        let first = try lock(in: folder)
        var second: LockFile? = try lock(in: folder)
        #expect(!first.takeAlone(), "somebody shares it")
        withExtendedLifetime(second) {}
        second = nil
        #expect(first.takeAlone())
        do {
            _ = try lock(in: folder, wait: .milliseconds(20))
            Issue.record("somebody has it alone")
        } catch let StoreError.unusable(text) {
            #expect(text.contains("being restored"), "\(text)")
        }
    }

    @Test func `whoever made it takes it away, unless somebody else uses it or it is a daemon`() throws {
        let folder = try TemporaryFolder()
        #expect(try LockFile(sharing: StoreFile(folder.database), makes: false, until: Deadline(after: .zero)) == nil)
        var maker: LockFile? = try lock(in: folder)
        withExtendedLifetime(maker) { #expect(isThere(folder)) }
        maker = nil
        #expect(!isThere(folder))
        maker = try lock(in: folder)
        var other: LockFile? = try lock(in: folder)
        withExtendedLifetime(maker) {}
        maker = nil
        #expect(isThere(folder))
        withExtendedLifetime(other) {}
        other = nil
        try FileManager.default.removeItem(atPath: folder.database + ".lock")
        let daemon = try StoreLock(database: folder.database)
        _ = consume daemon
        #expect(isThere(folder))
    }

    @Test func `locks on a file that has lost its name are nobody's`() throws {
        let folder = try TemporaryFolder()
        let old = try lock(in: folder)
        try FileManager.default.removeItem(atPath: folder.database + ".lock")
        #expect(old.takeAlone())
        let new = try lock(in: folder)
        #expect(new.takeAlone())
    }

    @Test(arguments: ["pipe", "folder", "link"])
    func `what is no file is refused at once`(kind: String) throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let name = folder.database + ".lock"
        switch kind {
        case "pipe": #expect(unsafe mkfifo(name, 0o600) == 0)
        case "folder": #expect(unsafe mkdir(name, 0o700) == 0)
        default: #expect(unsafe symlink(folder.database, name) == 0)
        }
        let file = try StoreFile(folder.database)
        for makes in [true, false] {
            #expect(throws: StoreError.unusable("\(name) is not a file. Delete it.")) {
                try LockFile(sharing: file, makes: makes, until: Deadline(after: .seconds(5)))
            }
        }
        #expect(throws: StoreError.self) { try folder.open().close() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may have any group"))
    func `it belongs to the database's group`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        #expect(unsafe chown(folder.database, uid_t.max, 40_100) == 0)
        let lock = try lock(in: folder)
        var facts = stat()
        #expect(unsafe fstat(lock.descriptor, &facts) == 0)
        #expect(facts.st_gid == 40_100)
    }

    @Test(arguments: [true, false])
    func `another file under its name is not handed over`(isLink: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        #expect(unsafe chmod(folder.database, 0o660) == 0)
        let other = folder.path + "/other"
        try Data((isLink ? "" : "secret").utf8).write(to: URL(fileURLWithPath: other))
        #expect(unsafe chmod(other, 0o600) == 0)
        #expect(unsafe (isLink ? link : rename)(other, folder.database + ".lock") == 0)
        let lock = try lock(in: folder)
        var facts = stat()
        #expect(unsafe fstat(lock.descriptor, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
    }

    @Test func `it is open to those to whom the database is`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        for mode: mode_t in [0o660, 0o600] {
            #expect(unsafe chmod(folder.database, mode) == 0)
            let lock = try lock(in: folder)
            var facts = stat()
            #expect(unsafe fstat(lock.descriptor, &facts) == 0)
            #expect(facts.st_mode & 0o777 == mode)
        }
    }

    @Test func `a store waits for the end of an exchange, and an exchange for a store that closes`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let exchange = try StoreLock(StoreFile(folder.database))
        let isAlone = exchange.takeAlone(until: Deadline(after: .zero))
        #expect(isAlone)
        #expect(throws: StoreError.self) { try folder.open { $0.writeWait = .milliseconds(50) }.close() }
        let opened = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            if let store = try? folder.open() {
                opened.signal()
                usleep(200_000)
                store.close()
            }
        }
        #expect(opened.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
        _ = consume exchange
        #expect(opened.wait(timeout: .now() + .seconds(5)) == .success)
        let next = try StoreLock(StoreFile(folder.database))
        let isEarly = next.takeAlone(until: Deadline(after: .milliseconds(20)))
        let isAtLast = next.takeAlone(until: Deadline(after: .seconds(5)))
        #expect(!isEarly && isAtLast)
    }
}
