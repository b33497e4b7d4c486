// The store in one SQLite file: who does what. Changes go to the writer, questions to a reader; neither is done here.
internal import Dispatch
internal import Glibc
package import Shortening
internal import Telemetry

/// Links, accounts, collections and clicks in a SQLite file. Other processes may have the same file open.
package final class SQLiteStore: LinkStore, AccountStore {
    package let generations = Generations()

    /// Whether there was no such file before it was opened.
    package let isNew: Bool

    /// The file's absolute name.
    package var path: String { file.path }

    /// How many names the file has now. A program that opens it by another one sees neither its log nor what is locked, and can
    /// destroy it (https://www.sqlite.org/howtocorrupt.html, on links to the same file).
    package var nameCount: Int { file.nameCount }

    private let file: StoreFile
    let writer: Writer
    let readers: ReaderPool
    private let files: OpenFiles
    private let housekeeping: Housekeeping?
    private let writeWait: Duration
    /// Let go of after the last connection, nil then.
    private let lock: Lock<LockFile?>

    /// Opens a file, making it or bringing it up to date where need be. Throws `unusable` or `readOnly`, with the file's name
    /// and the next step in one line, for a file that is foreign, newer, damaged or out of reach, and leaves that as it is.
    /// Blocks, up to the write wait where another process holds the write lock.
    package static func open(file name: String, options: Options = Options()) throws(StoreError) -> SQLiteStore {
        let file = try StoreFile(name)
        // SQLite as root makes its files root's and hands them over a moment later, in which another user cannot write them.
        let patience = Deadline(after: .milliseconds(50))
        while true {
            do throws(StoreError) {
                return try SQLiteStore(file, options)
            } catch .readOnly where !patience.isOver {
                usleep(5_000)
            }
        }
    }

    private init(_ file: StoreFile, _ options: Options) throws(StoreError) {
        self.file = file
        writeWait = options.writeWait
        let opened = try Opening(file: file, options: options).writer()
        lock = Lock(opened.lock)
        isNew = opened.isNew
        let session = try WriteSession(opened.connection)
        let seen = try session.foreignCommits()
        files = try OpenFiles(file)
        let log = try LogWork(
            session.connection, limit: options.logLimit, checkFiles: files.check,
            trouble: Trouble(in: .log, options.onTrouble))
        writer = Writer(session, log: log, files: files, generations: generations, options)
        readers = try ReaderPool(file.path, options)
        housekeeping =
            options.isDaemon
            ? Housekeeping(writer, files: files, generations: generations, seen: seen, options: options) : nil
    }

    /// Finishes what was asked for, folds the clicks (a daemon's), works off the log and closes the file. Calls made later
    /// end in `closed`. Blocks; not from a `done`.
    package func close() {
        housekeeping?.cancel()
        // The writer's is the last connection to close: SQLite then moves the log into the file and deletes it.
        readers.close()
        writer.close { session in housekeeping?.foldAll(session, until: Deadline(after: writeWait)) }
        lock.withLock { $0 = nil }
    }

    // MARK: Links

    package func findTargets(_ slugs: [Slug], done: @escaping @Sendable (Result<[Target?], StoreError>) -> Void) {
        readers.idlest.ask({ session throws(StoreError) in try session.findTargets(slugs) }, done: done)
    }

    package func findTargetsAtOnce(_ slugs: [Slug]) -> [Target?] {
        readers.askIfFree { session in session.findTargetsAtOnce(slugs) } ?? []
    }

    package func add(_ link: NewLink, done: @escaping @Sendable (Result<AddOutcome, StoreError>) -> Void) {
        writer.submit(
            { session throws(StoreError) in try session.add(link) },
            touched: { outcome in if case .added(let slug, _) = outcome { slug } else { nil } }, done: done)
    }

    package func remove(_ slug: Slug, done: @escaping @Sendable (Result<Bool, StoreError>) -> Void) {
        writer.submit(
            { session throws(StoreError) in try session.remove(slug) }, touched: { $0 ? slug : nil }, done: done)
    }

    package func record(_ clicks: [ClickCount], done: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        guard let batch = ClickBatch(clicks) else { return writer.queue.async { done(.success(())) } }
        writer.submit({ session throws(StoreError) in try session.append(batch) }, done: done)
    }

    package func links(_ filter: LinkFilter, after: LinkID?, limit: Int) throws(StoreError) -> LinkPage {
        try readers.idlest.ask { session throws(StoreError) in try session.page(filter, after: after, limit: limit) }
    }

    package func squeezedLink(_ count: Int, of account: AccountID) throws(StoreError) -> LinkID? {
        var (left, after) = (Int64(count), Int64.min)
        while left > 0 {
            // A question each, so that others get their turn at the reader in between.
            let step = min(left, ReadSession.scanLimit)
            let reached = try readers.idlest.ask { [after] session throws(StoreError) in
                try session.squeezedLink(step, of: account, after: after)
            }
            guard let reached else { return nil }
            (left, after) = (left - step, reached)
        }
        return count > 0 ? LinkID(rawValue: after) : nil
    }

    package func link(_ slug: Slug) throws(StoreError) -> Link? {
        try readers.idlest.ask { session throws(StoreError) in try session.link(slug) }
    }

    /// `add` for commands: blocks until the link is on the disk.
    package func add(_ link: NewLink) throws(StoreError) -> AddOutcome {
        try Self.wait { done in add(link, done: done) }
    }

    /// `remove` for commands: blocks until the removal is on the disk.
    package func remove(_ slug: Slug) throws(StoreError) -> Bool {
        try Self.wait { done in remove(slug, done: done) }
    }

    // MARK: Many links

    /// For links that come by the million, on a connection of its own. Blocks.
    package func bulkInsert() throws(StoreError) -> BulkInsert { try BulkInsert(file) }

    /// For reading all links, on a connection of its own. Blocks.
    package func records() throws(StoreError) -> RecordReader { try RecordReader(file.path) }

    // MARK: Accounts

    package func account(named name: String) throws(StoreError) -> AccountID? {
        try readers.idlest.ask { session throws(StoreError) in try session.account(named: name) }
    }

    package func liveKeys() throws(StoreError) -> [APIKey] { try keys(includeRevoked: false) }

    package func keys(includeRevoked: Bool) throws(StoreError) -> [APIKey] {
        try readers.idlest.ask { session throws(StoreError) in try session.keys(includeRevoked: includeRevoked) }
    }

    package func createKey(account: String, label: String, digest: SHA256Digest) throws(StoreError) -> APIKey? {
        try Self.wait { done in
            writer.submit(
                { session throws(StoreError) in try session.createKey(account: account, label: label, digest: digest) },
                touchesKeys: true, done: done)
        }
    }

    package func setPassword(_ hash: PasswordHash, of account: String) throws(StoreError) {
        try Self.wait { done in
            writer.submit(
                { session throws(StoreError) in try session.setPassword(hash, of: account) }, touchesKeys: true, done: done)
        }
    }

    package func password(of account: String) throws(StoreError) -> PasswordHash? {
        try readers.idlest.ask { session throws(StoreError) in try session.password(of: account) }
    }

    package func revokeKey(_ id: Int64) throws(StoreError) -> Bool {
        try Self.wait { done in
            writer.submit({ session throws(StoreError) in try session.revokeKey(id) }, touchesKeys: true, done: done)
        }
    }

    // MARK: Health

    package func checkHealth() throws(StoreError) {
        do throws(StoreError) {
            try readers.idlest.ask { session throws(StoreError) in try session.probe() }
        } catch {
            // That the files are not what they were says more than what is read from them.
            if error != .closed { try files.check() }
            throw error
        }
        try files.check()
        if writer.health.isFull { throw .full }
        guard writer.health.needsProbe else { return }
        try Self.wait { done in writer.submit({ session throws(StoreError) in try session.probe() }, done: done) }
    }

    /// What is wrong in the file, one line each; empty where nothing is. Reads the whole file: seconds for millions of
    /// links. Blocks, beside everything else.
    package func verify() throws(StoreError) -> [String] {
        try Connection(file.path, .read).problems()
    }

    /// For tests: the file may not grow beyond so many pages, as on a full disk.
    func limitPages(to count: Int) throws(StoreError) {
        try Self.wait { done in
            writer.submit(
                { session throws(StoreError) in _ = try session.connection.number(SQL.limitPages(to: count)) }, done: done)
        }
    }

    /// Turns a call that answers later into one that blocks.
    static func wait<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
    ) throws(StoreError) -> Value {
        let answered = DispatchSemaphore(value: 0)
        let answer = Lock<Result<Value, StoreError>>(.failure(.closed))
        start { result in
            answer.withLock { $0 = result }
            answered.signal()
        }
        answered.wait()
        return try answer.withLock { $0 }.get()
    }
}
