// Reading a whole file to see whether it is sound. Changes nothing.
package import Shortening

extension Connection {
    /// What is wrong in the file, one line each; empty where nothing is. Reads all of it.
    func problems() throws(StoreError) -> [String] {
        let pages = try texts(SQL.integrityCheck).filter { $0 != "ok" }
        // SQLite's lines may hold lines.
        // What stands in bad pages is not worth telling.
        let contents =
            try pages.isEmpty ? Schema(migrations: Migration.builtIn).problems(in: self) + problemsOfTargets() : []
        return try (pages + texts(SQL.foreignKeyCheck) + contents).map {
            $0.split(separator: "\n").joined(separator: " ")
        }
    }

    /// Whether links are found by their slugs' numbers (migration 0003), and nothing else is. A file of before has an index for it.
    private func problemsOfTargets() throws(StoreError) -> [String] {
        guard try number(SQL.countTargetTables) > 0 else { return [] }
        var (problems, count): ([String], Int64) = ([], 0)
        try prepare(SQL.targets).run { statement throws(StoreError) in
            while problems.count < 100, try statement.step() {
                count += 1
                let number = statement.withText(2) { $0.slugNumber }
                if number == statement.integer(0), statement.integer(3) == 1 { continue }
                let slug = statement.text(2)
                let which = slug.isEmpty ? ", which is not there" : " (\(slug))"
                problems.append("target \(statement.integer(0)) is not that of link \(statement.integer(1))\(which)")
            }
        }
        // No two entries have one number; so with as many entries as links, each link has its own.
        guard problems.isEmpty, try count != number(SQL.countShortSlugs) else { return problems }
        return try texts(SQL.missingTargets)
    }
}

extension SQLiteStore {
    /// What a file holds.
    package struct Verdict: Equatable, Sendable {
        /// Absolute.
        package let path: String
        /// What is wrong, one line each; empty where nothing is.
        package let problems: [String]
        /// Links that lead somewhere; 0 where something is wrong.
        package let links: Int64
    }

    /// Reads a store or a backup whole: pages, indexes, references. Leaves nothing beside it. Throws like `open` where the file
    /// is none of ours, is missing, or too damaged to be read. Blocks, beside everything else.
    package static func verify(file name: String) throws(StoreError) -> Verdict {
        let file = try StoreFile(name)
        let lock = try LockFile(sharing: file, makes: false, until: Deadline(after: .seconds(5)))
        defer { withExtendedLifetime(lock) {} }
        let connection = try file.storeForReading()
        let problems = try connection.problems()
        let links = try problems.isEmpty ? connection.number(SQL.countLinks) : 0
        return Verdict(path: file.path, problems: problems, links: links)
    }
}

extension StoreFile {
    /// Opens what must be a store of ours, or a copy of one, with what its log holds if it has one.
    func storeForReading() throws(StoreError) -> Connection {
        let schema = Schema(migrations: Migration.builtIn)
        switch try Inspection(file: self, schema: schema, isDaemon: false).standing() {
        case .absent: throw .unusable("\(path) does not exist. Name another file.")
        case .empty: throw .unusable("\(path) is empty. Name another file.")
        case .ours: break
        }
        let connection = try Connection(path, StoreFile.size(of: log) == nil ? .readImmutable : .read)
        connection.setLockWait(milliseconds: 5_000)
        if try schema.missing(in: connection).count == schema.migrations.count {
            throw .unusable(
                "\(path) holds nothing but a store's beginning. If it is a copy, its log \(log) was not copied with it; else start "
                    + "`shorty serve` with it.")
        }
        return connection
    }
}
