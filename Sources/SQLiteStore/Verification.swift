// Reading a whole file to see whether it is sound. Changes nothing.
package import Shortening

extension Connection {
    /// What is wrong in the file, one line each; empty where nothing is. Reads all of it.
    func problems() throws(StoreError) -> [String] {
        let pages = try texts(SQL.integrityCheck).filter { $0 != "ok" }
        // SQLite's lines may hold lines.
        return try (pages + texts(SQL.foreignKeyCheck)).map { $0.split(separator: "\n").joined(separator: " ") }
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
        switch try Inspection(file: self, schema: schema, readsWhole: false).standing() {
        case .absent: throw .unusable("\(path) does not exist. Name another file.")
        case .empty: throw .unusable("\(path) is empty. Name another file.")
        case .ours: break
        }
        let connection = try Connection(path, StoreFile.size(of: log) == nil ? .readImmutable : .read)
        connection.setLockWait(milliseconds: 5_000)
        return connection
    }
}
