// What can be chosen when a store is opened.
package import Shortening

extension SQLiteStore {
    /// How a store is opened. The defaults are those of a command that works beside a daemon.
    package struct Options: Sendable {
        /// Makes the file where there is none.
        package var createIfMissing = true
        /// How long a write waits for another process's write lock before it ends in `busy`.
        package var writeWait = Duration.seconds(5)
        /// Reading connections, at least 1. Two let look-ups pass a listing.
        package var readers = 2
        /// The daemon's store also looks for commits of other processes every 80 ms, folds clicks once a minute and at
        /// its end, and reads a small file whole when it opens it.
        package var isDaemon = false
        /// Hears what keeps the store from its work, and, with nil, when that is over. On a thread of the store; must not block.
        package var onTrouble: @Sendable (TroubleArea, StoreError?) -> Void = { _, _ in }
        /// Hears, before the store opens, of a step of the schema that a file of an earlier Shorty is about to take. With many links it
        /// takes a while, in which nothing is served. On the thread that opens.
        package var onStep: @Sendable (_ name: String) -> Void = { _ in }
        /// Offers the work of a transaction to the thread that has asked for a change. False where that does not take it; true where it
        /// will call it, soon: with true to have it done right then, which blocks, or with false to have the store's own thread do it.
        package var offersWork: @Sendable (@escaping @Sendable (_ mayBlock: Bool) -> Void) -> Bool = { _ in false }

        /// For tests: other steps than the built-in ones.
        var migrations = Migration.builtIn
        /// For tests: with how many pages in the log it is worked off.
        var logLimit = LogWork.usualLimit
        /// For tests: how often clicks are folded, in seconds.
        var foldInterval = 60

        package init() {}
    }
}
