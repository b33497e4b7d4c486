// How a commit's pages get into the log: with one call, all of them before the log is synced, and the commit fails where they do not.
import CPageCache
import CSQLite
import FaultyDisk
import Foundation
import Glibc
import Testing

@testable import SQLiteStore

@Suite @safe struct CommitWriteTests {
    private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
    private typealias Read = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int

    private let folder: TemporaryFolder
    private let connection: Connection
    /// pwrite(2) and pread(2) as SQLite calls them.
    private let write: Write
    private let read: Read

    init() throws {
        folder = try TemporaryFolder()
        connection = try outsider(
            folder.database, "\(SQL.useWriteAheadLog); CREATE TABLE t (a); INSERT INTO t VALUES (randomblob(3000))")
        guard let files = unsafe sqlite3_vfs_find("unix"), let look = unsafe files.pointee.xGetSystemCall,
            let write = unsafe look(files, "pwrite64") ?? look(files, "pwrite"),
            let read = unsafe look(files, "pread64") ?? look(files, "pread")
        else { throw Unexpected.noSuchCall }
        unsafe self.write = unsafeBitCast(write, to: Write.self)
        unsafe self.read = unsafeBitCast(read, to: Read.self)
    }

    // MARK: In a log

    /// Inserts rows of which each fills a page. Returns the calls that the commit took and the pages that it added.
    private func commit(rows: Int) throws -> (calls: Int, pages: Int) {
        let commit = try connection.prepare(SQL.commit)
        try connection.execute(
            """
            BEGIN; INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            SELECT randomblob(3000) FROM n
            """)
        let (calls, pages) = (try #require(writesOfThisThread()), connection.logPages)
        try connection.commit(commit)
        return (try #require(writesOfThisThread()) - calls, connection.logPages - pages)
    }

    @Test(.enabled(if: writesOfThisThread() != nil, "this kernel does not count a thread's writes"))
    func `a small commit is one write, and a large one a few`() throws {
        let small = try commit(rows: 1)
        #expect(small.calls == 1)
        #expect(small.pages >= 2)
        let large = try commit(rows: 200)
        #expect(large.pages > 200)
        #expect(large.calls <= large.pages / 4 + 1, "two in 32 KiB")
        // From the file, with the log's checksums.
        let other = try outsider(folder.database)
        #expect(try other.number("SELECT count(*) FROM t WHERE length(a) = 3000") == 202)
        #expect(try other.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
    }

    /// SQLite moves pages during the COMMIT then, and what does not fit into its cache leaves it and is read again.
    @Test(arguments: [512, 1024, 4096])
    func `a commit may read what it has written`(pageSize: Int) throws {
        let folder = try TemporaryFolder()
        let connection = try outsider(
            folder.database,
            """
            PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = FULL; \(SQL.useWriteAheadLog); PRAGMA cache_size = 10;
            CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE INDEX i ON t (a)
            """)
        let commit = try connection.prepare(SQL.commit)
        for round in 0..<60 {
            try connection.execute(
                """
                BEGIN; INSERT INTO t (a) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                SELECT randomblob(10 + (i * 37 + \(round)) % 900) FROM n;
                DELETE FROM t WHERE id % 3 = \(round % 3)
                """)
            try connection.commit(commit)
        }
        #expect(try connection.texts(SQL.integrityCheck) == ["ok"])
        #expect(try outsider(folder.database).texts(SQL.integrityCheck) == ["ok"])
    }

    // MARK: The call alone

    private static let header: [UInt8] = Array(repeating: 0, count: 4) + [0, 0, 0, 0] + Array(repeating: 7, count: 16)
    private static let lastHeader: [UInt8] = Array(repeating: 0, count: 4) + [0, 0, 0, 9] + Array(repeating: 8, count: 16)
    private static let page: [UInt8] = Array(repeating: 3, count: 512)

    private func write(_ bytes: [UInt8], to file: Int32, at offset: Int) -> Int {
        unsafe write(file, bytes, bytes.count, off_t(offset))
    }

    /// An open file of the test's own.
    private func file() throws -> Int32 {
        let file = unsafe open("\(folder.path)/log", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        return file
    }

    private func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/log"))) }

    @Test func `all is in the file when the page that ends the commit is written, and later writes go straight through`()
        throws
    {
        let file = try file()
        defer { close(file) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: file, at: 0) == 24)
        #expect(write(Self.page, to: file, at: 24) == 512)
        #expect(write(Self.lastHeader, to: file, at: 536) == 24)
        #expect(try bytes().isEmpty, "kept so far")
        #expect(write(Self.page, to: file, at: 560) == 512)
        #expect(try bytes() == Self.header + Self.page + Self.lastHeader + Self.page)
        #expect(write(Self.lastHeader, to: file, at: 0) == 24)
        #expect(try bytes() == Self.lastHeader + Self.page + Self.lastHeader + Self.page)
        #expect(page_cache_commit_end(true))
    }

    @Test func `what is not next in a row is written after what came before it`() throws {
        let file = try file()
        defer { close(file) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: file, at: 0) == 24)
        // Over what is kept still.
        #expect(write([1, 2, 3, 4], to: file, at: 2) == 4)
        #expect(Array(try bytes().prefix(8)) == [0, 0, 1, 2, 3, 4, 0, 0])
        #expect(write(Self.header, to: file, at: 24) == 24)
        #expect(write(Self.header, to: file, at: 100) == 24)
        #expect(try bytes().count == 48, "the other one is kept")
        #expect(page_cache_commit_end(false))
        #expect(write(Self.page, to: file, at: 48) == 512, "and forgotten with the commit")
        #expect(try bytes().count == 560)
    }

    @Test func `a read finds what is kept`() throws {
        let file = try file()
        defer { close(file) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: file, at: 0) == 24)
        #expect(write(Self.page, to: file, at: 24) == 512)
        var found = [UInt8](repeating: 9, count: 512)
        #expect(unsafe read(file, &found, 512, 24) == 512)
        #expect(found == Self.page)
        #expect(page_cache_commit_end(false))
    }

    @Test func `a read after a commit that failed writes nothing`() throws {
        let file = try file()
        defer { close(file) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: file, at: 0) == 24)
        #expect(page_cache_commit_end(false))
        var found = [UInt8](repeating: 9, count: 24)
        #expect(unsafe read(file, &found, 24, 0) == 0)
        #expect(try bytes().isEmpty)
        // Nor does one in the middle of the next commit.
        page_cache_commit_begin()
        #expect(unsafe read(file, &found, 24, 0) == 0)
        #expect(page_cache_commit_end(true))
        #expect(try bytes().isEmpty)
    }

    @Test func `after a short write nothing is kept`() throws {
        let file = faulty_disk_short_file(4096)
        guard file >= 0 else { throw Unexpected.noDisk }
        defer { close(file) }
        page_cache_commit_begin()
        #expect(write([UInt8](repeating: 5, count: 124), to: file, at: 3996) == 100)
        #expect(write(Self.header, to: file, at: 0) == 24)
        var found = [UInt8](repeating: 9, count: 24)
        #expect(unsafe pread(file, &found, 24, 0) == 24)
        #expect(found == Self.header)
        #expect(page_cache_commit_end(true))
    }

    @Test func `a page that is larger than what is kept goes to the file whole`() throws {
        let file = try file()
        defer { close(file) }
        let large = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 / 7) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: file, at: 0) == 24)
        #expect(write(large, to: file, at: 24) == 65_536)
        #expect(write(Self.lastHeader, to: file, at: 65_560) == 24)
        #expect(write(large, to: file, at: 65_584) == 65_536)
        #expect(try bytes() == Self.header + large + Self.lastHeader + large)
        #expect(page_cache_commit_end(true))
    }

    @Test func `a full disk fails the page that ends the commit, and nothing of it is written later`() throws {
        let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: full, at: 0) == 24)
        #expect(write(Self.page, to: full, at: 24) == 512)
        #expect(write(Self.lastHeader, to: full, at: 536) == 24)
        #expect(write(Self.page, to: full, at: 560) == -1)
        #expect(errno == ENOSPC)
        #expect(page_cache_commit_end(false))
        let file = try file()
        defer { close(file) }
        #expect(write(Self.page, to: file, at: 0) == 512)
        #expect(try bytes() == Self.page)
    }

    @Test func `a commit that ends without such a page is put on the disk all the same, or fails`() throws {
        let file = try file()
        defer { close(file) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: file, at: 0) == 24)
        #expect(page_cache_commit_end(true))
        #expect(try bytes() == Self.header)
        let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        page_cache_commit_begin()
        #expect(write(Self.header, to: full, at: 0) == 24)
        #expect(!page_cache_commit_end(true))
    }
}

/// How often this thread has called write(2) and its like (proc(5), io).
private func writesOfThisThread() -> Int? {
    let text = (try? String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("syscw: ") }
    return line.flatMap { Int($0.dropFirst(7)) }
}
