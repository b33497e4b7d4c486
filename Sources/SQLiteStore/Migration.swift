// The steps from an empty file to today's tables, compiled in from migrations/sqlite. Knows what to apply and in what order;
// their text is in the files.
internal import Assets
internal import Glibc
internal import Shortening

/// One step of the schema.
struct Migration: Sendable {
    let number: Int64
    let name: String
    let sql: String
    /// Of the file's bytes; recorded where the step was applied.
    let digest: SHA256Digest

    init(number: Int64, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
        digest = SHA256Digest(of: Array(sql.utf8))
    }

    /// All steps that this program knows, in order.
    static let builtIn: [Migration] = {
        var migrations: [Migration] = []
        // The table and what it points to are constants of the program.
        while let entry = unsafe asset_sqlite_migration(migrations.count)?.pointee {
            let bytes = unsafe UnsafeBufferPointer(start: entry.bytes, count: entry.length)
            let name = unsafe String(cString: entry.name)
            let number = unsafe entry.number
            migrations.append(Migration(number: number, name: name, sql: unsafe String(decoding: bytes, as: UTF8.self)))
        }
        return migrations
    }()
}

/// A list of steps and a file that has had some of them.
struct Schema {
    let migrations: [Migration]

    /// The steps that the file still lacks. Throws, naming the file and the next step, where it has had others than ours.
    func missing(in connection: Connection) throws(StoreError) -> [Migration] {
        let recorded = try Self.recorded(in: connection)
        for (number, digest) in recorded {
            guard let known = migrations.first(where: { $0.number == number }) else {
                throw .unusable(
                    "\(connection.file) was written by a newer Shorty (its schema is at \(number), this program knows "
                        + "\(migrations.last?.number ?? 0)); it was left as it is. Use the newer program.")
            }
            guard known.digest.bytes == digest else {
                throw .unusable(
                    "\(connection.file) was set up by another build of Shorty (step \(known.name) has another digest); it "
                        + "was left as it is. Use that build, or name another file.")
            }
        }
        return migrations.filter { migration in !recorded.contains { $0.number == migration.number } }
    }

    /// Brings a file up to date. Without foreign keys, so that a step can put another table in the place of one that others refer to
    /// (https://www.sqlite.org/lang_altertable.html, 7); on afterwards, also where it throws. `willTake` hears of each step first.
    func migrate(_ connection: Connection, willTake: (Migration) -> Void = { _ in }) throws(StoreError) {
        if try missing(in: connection).isEmpty { return }
        let usual = SQL.endMigrations(secureDelete: try connection.number(SQL.secureDelete))
        try connection.execute(SQL.tuneMigrations)
        do throws(StoreError) {
            try takeSteps(connection, willTake)
        } catch {
            // Whoever was kept waiting tries again, and may find that another process has taken the steps.
            try? connection.execute(usual)
            throw error
        }
        try connection.execute(usual)
    }

    /// Each step in a transaction of its own. What is missing is asked again under the write lock, so two processes that start at once
    /// do each step once.
    private func takeSteps(_ connection: Connection, _ willTake: (Migration) -> Void) throws(StoreError) {
        while try !missing(in: connection).isEmpty {
            try connection.execute(SQL.beginWrite)
            do throws(StoreError) {
                if let next = try missing(in: connection).first {
                    willTake(next)
                    try Self.apply(next, to: connection)
                }
                try connection.execute(SQL.commit)
            } catch {
                if connection.isInTransaction { try? connection.execute(SQL.rollback) }
                throw error
            }
        }
    }

    private static func apply(_ migration: Migration, to connection: Connection) throws(StoreError) {
        try connection.execute(migration.sql)
        try connection.prepare(SQL.recordMigration).run { statement throws(StoreError) in
            try statement.bind(1, migration.number)
            try statement.bind(2, migration.name)
            try statement.bind(3, migration.digest.bytes)
            try statement.bind(4, Int64(time(nil)))
            _ = try statement.step()
        }
    }

    private static func recorded(in connection: Connection) throws(StoreError) -> [(number: Int64, digest: [UInt8])] {
        guard try connection.number(SQL.countMigrationTables) > 0 else { return [] }
        return try connection.prepare(SQL.migrations).run { statement throws(StoreError) in
            var rows: [(number: Int64, digest: [UInt8])] = []
            while try statement.step() { rows.append((statement.integer(0), statement.bytes(1))) }
            return rows
        }
    }
}
