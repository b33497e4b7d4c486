// Copying a store that is in use. SQLite's page copy rather than VACUUM INTO: it moves pages at the disk's speed, where VACUUM
// sorts and builds every index anew beside a daemon that needs its cores. The check afterwards reads every page anyway.
internal import Glibc
package import Shortening

extension SQLiteStore {
    /// Writes a backup that holds everything acknowledged before the call and nothing half done, in place of an earlier backup
    /// of that name if there is one. It is whole, checked and on the disk when this returns; after an error the earlier one is
    /// as it was. Throws `unusable`, with the next step, for a name that belongs to something else. `goesOn` hears pages done
    /// and all pages now and then, and ends the copy in `closed` by saying no. Blocks, beside everything else; while it copies,
    /// the store's log grows.
    package static func backUp(
        _ database: String, to name: String, goesOn: (_ done: Int, _ all: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> StoreCopy {
        let (store, target) = (try StoreFile(database), try StoreFile(name))
        // Looks before it opens; the connection for writing is for a log that has to be put in order first.
        let (lock, _) = try LockFile.sharing(store, until: Deadline(after: .seconds(5))) { () throws(StoreError) in
            try store.storeForReading()
        }
        defer { withExtendedLifetime(lock) {} }
        try target.checkBackupPlace(for: store)
        let staged = try StagedCopy("\(target.path).partial-\(getpid())", for: target)
        let copy = try staged.fill(from: Self.source(store), goesOn)
        try staged.sync()
        try staged.publish()
        return copy
    }

    private static func source(_ store: StoreFile) throws(StoreError) -> Connection {
        let connection = try Connection(store.path, .write)
        connection.setLockWait(milliseconds: 5_000)
        try connection.execute(SQL.tuneReader)
        return connection
    }
}
