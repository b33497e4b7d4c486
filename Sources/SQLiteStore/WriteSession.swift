// The writer's connection with its prepared statements: every change of the store, one function each. Transactions are the
// writer's business.
internal import Glibc
internal import Shortening

/// All that the store can change. Confined to the writer's queue; every function runs inside an open transaction.
final class WriteSession {
    let connection: Connection
    let collections: CollectionWrites
    let logLength: LogLength
    private let targets: Targets
    private let listed: ListedBlocks
    private let begin, commit, rollback, dataVersion: Statement
    private let addLink, findSqueezedLink, freeSlug, removeLink, appendClicks, addAccount, findAccount, addKey,
        revokeKey, setPassword, writeProbe: Statement

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        collections = try CollectionWrites(connection)
        targets = try Targets(connection)
        listed = try ListedBlocks(connection)
        begin = try connection.prepare(SQL.beginWrite)
        commit = try connection.prepare(SQL.commit)
        rollback = try connection.prepare(SQL.rollback)
        dataVersion = try connection.prepare(SQL.dataVersion)
        addLink = try connection.prepare(SQL.addLink)
        findSqueezedLink = try connection.prepare(SQL.findSqueezedLink)
        freeSlug = try connection.prepare(SQL.freeSlug)
        removeLink = try connection.prepare(SQL.removeLink)
        appendClicks = try connection.prepare(SQL.appendClicks)
        addAccount = try connection.prepare(SQL.addAccount)
        findAccount = try connection.prepare(SQL.findAccount)
        setPassword = try connection.prepare(SQL.setPassword)
        addKey = try connection.prepare(SQL.addKey)
        revokeKey = try connection.prepare(SQL.revokeKey)
        writeProbe = try connection.prepare(SQL.writeProbe)
        logLength = try LogLength(connection)
    }

    // MARK: Transactions

    /// Runs `body` in one transaction: committed when it returns, undone when it or the commit throws.
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        // One that could not be ended would keep everybody from writing.
        if connection.isInTransaction { try rollback.run() }
        try begin.run()
        do throws(StoreError) {
            let result = try body()
            try connection.commit(commit)
            return result
        } catch {
            listed.forget()
            // An error while undoing leaves it to the next transaction, or to the connection's end.
            if connection.isInTransaction { try? rollback.run() }
            throw error
        }
    }

    /// A number that moves when another connection has committed. Outside a transaction.
    func foreignCommits() throws(StoreError) -> Int64 {
        try dataVersion.run { statement throws(StoreError) in try statement.step() ? statement.integer(0) : 0 }
    }

    // MARK: Links

    /// Stores a link, or finds its chosen slug taken or its long URL squeezed before.
    func add(_ link: NewLink) throws(StoreError) -> AddOutcome {
        switch link.slug {
        case .chosen(let slug):
            if let id = try insert(link, as: slug) { return .added(slug, id) }
            if let existing = try squeezedBefore(link) { return existing }
            // The slug of a removed link can be chosen again. The old row stays under its id without a slug, so that its
            // clicks do not become the new link's.
            try freeSlug.run { statement throws(StoreError) in
                try statement.bind(slug)
                _ = try statement.step()
            }
            guard connection.changes == 1, let id = try insert(link, as: slug) else { return .taken }
            return .added(slug, id)
        case .generated(let generator):
            var attempt = 0
            while true {
                let slug = generator.slug(attempt: attempt)
                if let id = try insert(link, as: slug) { return .added(slug, id) }
                if let existing = try squeezedBefore(link) { return existing }
                attempt += 1
            }
        }
    }

    /// The owner's one link for the long URL; nil where that is not why the link was refused.
    private func squeezedBefore(_ link: NewLink) throws(StoreError) -> AddOutcome? {
        guard link.isSqueezed, let owner = link.owner else { return nil }
        return try findSqueezedLink.run { statement throws(StoreError) in
            try statement.bind(1, owner.rawValue)
            try statement.bind(2, link.longURL.text)
            guard try statement.step() else { return nil }
            return .existing(Slug(stored: statement.text(1)), LinkID(rawValue: statement.integer(0)))
        }
    }

    /// nil where a link has the slug already, be it a removed one, or an index has the squeezed long URL.
    private func insert(_ link: NewLink, as slug: Slug) throws(StoreError) -> LinkID? {
        let number = slug.number
        if let number, try !targets.enter(number, link.longURL) { return nil }
        try addLink.run { statement throws(StoreError) in
            try statement.bind(1, slug.text)
            try statement.bind(2, link.longURL.text)
            try statement.bind(3, link.title)
            try statement.bind(4, Self.now)
            try statement.bind(5, link.owner?.rawValue)
            try statement.bind(6, link.isListed ? 1 : 0)
            try statement.bind(7, link.isSqueezed ? 1 : nil)
            _ = try statement.step()
        }
        guard connection.changes == 1 else {
            if let number { try targets.takeBack(number) }
            return nil
        }
        let id = connection.lastInsertedRow
        if link.isListed { try listed.enter(id) }
        return LinkID(rawValue: id)
    }

    /// false where there is no live link of that slug.
    func remove(_ slug: Slug) throws(StoreError) -> Bool {
        try removeLink.run { statement throws(StoreError) in
            try statement.bind(slug)
            try statement.bind(3, Self.now)
            _ = try statement.step()
        }
        return connection.changes == 1
    }

    // MARK: Clicks

    func append(_ batch: ClickBatch) throws(StoreError) {
        try appendClicks.run { statement throws(StoreError) in
            try statement.bind(1, batch.packed)
            _ = try statement.step()
        }
    }

    // MARK: Accounts

    /// nil where a live key has the digest already.
    func createKey(account name: String, label: String, digest: SHA256Digest) throws(StoreError) -> APIKey? {
        let account = try account(named: name)
        let created = Self.now
        try addKey.run { statement throws(StoreError) in
            try statement.bind(1, account)
            try statement.bind(2, label)
            try statement.bind(3, digest.bytes)
            try statement.bind(4, created)
            _ = try statement.step()
        }
        guard connection.changes == 1 else { return nil }
        return APIKey(
            id: connection.lastInsertedRow, account: AccountID(rawValue: account), accountName: name, label: label,
            digest: digest.bytes, created: created)
    }

    private func account(named name: String) throws(StoreError) -> Int64 {
        try addAccount.run { statement throws(StoreError) in
            try statement.bind(1, name)
            try statement.bind(2, Self.now)
            _ = try statement.step()
        }
        return try findAccount.run { statement throws(StoreError) in
            try statement.bind(1, name)
            return try statement.step() ? statement.integer(0) : 0
        }
    }

    func setPassword(_ hash: PasswordHash, of name: String) throws(StoreError) {
        _ = try account(named: name)
        try setPassword.run { statement throws(StoreError) in
            try statement.bind(1, name)
            try statement.bind(2, hash.text)
            _ = try statement.step()
        }
    }

    func revokeKey(_ id: Int64) throws(StoreError) -> Bool {
        try revokeKey.run { statement throws(StoreError) in
            try statement.bind(1, id)
            try statement.bind(2, Self.now)
            _ = try statement.step()
        }
        return connection.changes == 1
    }

    // MARK: Health

    func probe() throws(StoreError) {
        try writeProbe.run { statement throws(StoreError) in
            try statement.bind(1, Self.now)
            _ = try statement.step()
        }
    }

    /// Seconds since 1970.
    private static var now: Int64 { Int64(time(nil)) }
}
