// A folder for one test, gone with its last reference.
import Foundation
import Shortening

@testable import SQLiteStore

final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The database file's name; nothing is made.
    var database: String { path + "/links.db" }

    func open(_ change: (inout SQLiteStore.Options) -> Void = { _ in }) throws(StoreError) -> SQLiteStore {
        var options = SQLiteStore.Options()
        change(&options)
        return try SQLiteStore.open(file: database, options: options)
    }

    /// Makes a store that has had the first steps of its schema only, as an earlier Shorty left it.
    func makeEarlierStore(steps: Int) throws -> Connection {
        try write(Data())
        let earlier = try outsider(
            database, SQL.setApplicationID(Inspection.applicationID) + ";" + SQL.useWriteAheadLog)
        try Schema(migrations: Array(Migration.builtIn.prefix(steps))).migrate(earlier)
        return earlier
    }

    /// Makes a store with the links `s000000`, which leads to `https://example.com/0`, `s000001` and so on, and closes it.
    func makeStore(links: Int) throws {
        try open().close()
        _ = try outsider(
            database,
            """
            INSERT INTO link (slug, url, created, listed)
            WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < \(links - 1))
            SELECT printf('s%06d', n), 'https://example.com/' || n, 1, 0 FROM number;
            INSERT OR IGNORE INTO target SELECT key, link, url FROM link_target;
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
    }

    /// All files with their bytes, by name.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
        return contents
    }

    func write(_ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: database)) }

    func read() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: database)) }
}

/// Another program's connection to a file.
func outsider(_ file: String, _ sql: String = "") throws -> Connection {
    let connection = try Connection(file, .create)
    try connection.execute(sql)
    return connection
}
