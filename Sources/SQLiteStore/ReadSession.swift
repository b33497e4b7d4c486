// A reading connection with its prepared statements: every question the store answers, one function each.
internal import Shortening

/// All that can be read. Used under its reader's lock, by one thread at a time.
final class ReadSession {
    /// Rows that one page of a listing looks at: it bounds the read transaction where few of them are wanted.
    static let scanLimit: Int64 = 10_000

    let connection: Connection
    let collections: CollectionReads
    private let begin, commit, rollback: Statement
    private let findTarget, findLongTarget, findLink, links, linksNearListed, squeezedLinks, skipSqueezedLinks: Statement
    private let clicks, foldProgress, clickBatches, findAccount, keys, liveKeys, password, readProbe: Statement

    init(_ file: String) throws(StoreError) {
        connection = try Connection(file, .read)
        connection.setLockWait(milliseconds: Connection.readerLockWait)
        try connection.execute(SQL.tuneReader)
        collections = try CollectionReads(connection)
        begin = try connection.prepare(SQL.beginRead)
        commit = try connection.prepare(SQL.commit)
        rollback = try connection.prepare(SQL.rollback)
        findTarget = try connection.prepare(SQL.findTarget)
        findLongTarget = try connection.prepare(SQL.findLongTarget)
        findLink = try connection.prepare(SQL.findLink)
        links = try connection.prepare(SQL.links)
        linksNearListed = try connection.prepare(SQL.linksNearListed)
        squeezedLinks = try connection.prepare(SQL.squeezedLinks)
        skipSqueezedLinks = try connection.prepare(SQL.skipSqueezedLinks)
        clicks = try connection.prepare(SQL.clicks)
        foldProgress = try connection.prepare(SQL.foldProgress)
        clickBatches = try connection.prepare(SQL.clickBatches)
        findAccount = try connection.prepare(SQL.findAccount)
        keys = try connection.prepare(SQL.keys)
        password = try connection.prepare(SQL.password)
        liveKeys = try connection.prepare(SQL.liveKeys)
        readProbe = try connection.prepare(SQL.readProbe)
    }

    /// One entry a slug.
    func findTargets(_ slugs: [Slug]) throws(StoreError) -> [Target?] {
        // A single statement is a transaction of its own.
        if slugs.count == 1 { return [try target(of: slugs[0])] }
        return try snapshot { () throws(StoreError) in
            var targets: [Target?] = []
            targets.reserveCapacity(slugs.count)
            for slug in slugs { targets.append(try target(of: slug)) }
            return targets
        }
    }

    /// One entry a slug, up to the first for which a page would have to come from the disk, or a lock of the file be waited for. Errors
    /// are for `findTargets` to find again.
    func findTargetsAtOnce(_ slugs: [Slug]) -> [Target?] {
        var targets: [Target?] = []
        connection.withoutWaiting {
            try? snapshot { () throws(StoreError) in
                targets.reserveCapacity(slugs.count)
                for slug in slugs { targets.append(try target(of: slug)) }
            }
        }
        return targets
    }

    private func target(of slug: Slug) throws(StoreError) -> Target? {
        let number = slug.number
        return try (number == nil ? findLongTarget : findTarget).run { statement throws(StoreError) in
            if let number { try statement.bind(1, number) } else { try statement.bind(1, slug.text) }
            guard try statement.step() else { return nil }
            return Target(id: LinkID(rawValue: statement.integer(0)), longURL: LongURL(stored: statement.text(1)))
        }
    }

    func link(_ slug: Slug) throws(StoreError) -> Link? {
        try snapshot { () throws(StoreError) in
            let row = try findLink.run { statement throws(StoreError) in
                try statement.bind(slug)
                return try statement.step() ? LinkRow(statement) : nil
            }
            guard let row else { return nil }
            return row.link(clicks: try visits(of: [row.id])[0])
        }
    }

    /// At most `limit` links behind `after` that pass the filter.
    func page(_ filter: LinkFilter, after: LinkID?, limit: Int) throws(StoreError) -> LinkPage {
        let limit = min(max(limit, 1), 1000)
        return try snapshot { () throws(StoreError) in
            let (rows, next) = try rows(filter, after: after?.rawValue ?? Int64.min, limit: limit)
            let visits = try visits(of: rows.map(\.id))
            return LinkPage(links: zip(rows, visits).map { $0.link(clicks: $1) }, next: next.map(LinkID.init))
        }
    }

    private func rows(_ filter: LinkFilter, after: Int64, limit: Int) throws(StoreError) -> ([LinkRow], next: Int64?) {
        let (source, account): (Statement, AccountID?) =
            switch filter {
            case .all, .owned: (links, nil)
            case .listed: (linksNearListed, nil)
            case .squeezed(let account): (squeezedLinks, account)
            }
        return try source.run { statement throws(StoreError) in
            try statement.bind(1, after)
            try statement.bind(2, Self.scanLimit)
            if let account { try statement.bind(3, account.rawValue) }
            var rows: [LinkRow] = []
            var last = after
            var seen: Int64 = 0
            while try statement.step() {
                if rows.count == limit { return (rows, last) }
                last = statement.integer(0)
                seen += 1
                if LinkRow.passes(statement, filter) { rows.append(LinkRow(statement)) }
            }
            return (rows, seen == Self.scanLimit ? last : nil)
        }
    }

    /// The `count`-th of an account's squeezed links behind `after`.
    func squeezedLink(_ count: Int64, of account: AccountID, after: Int64) throws(StoreError) -> Int64? {
        try skipSqueezedLinks.run { statement throws(StoreError) in
            try statement.bind(1, account.rawValue)
            try statement.bind(2, after)
            try statement.bind(3, count - 1)
            return try statement.step() ? statement.integer(0) : nil
        }
    }

    /// The visits of links given in ascending order: what is folded, and what is not yet.
    func visits(of links: [Int64]) throws(StoreError) -> [Int64] {
        var sums: [Int64] = []
        sums.reserveCapacity(links.count)
        for link in links {
            let folded = try clicks.run { statement throws(StoreError) in
                try statement.bind(1, link)
                return try statement.step() ? statement.integer(0) : 0
            }
            sums.append(folded)
        }
        guard let last = links.last else { return sums }
        let (through, below) = try foldProgress.run { statement throws(StoreError) in
            try statement.step() ? (statement.integer(0), statement.integer(1)) : (0, 0)
        }
        try clickBatches.run { statement throws(StoreError) in
            while try statement.step() {
                let floor = statement.integer(0) <= through ? below : Int64.min
                var cursor = ClickCursor(statement.bytes(1))
                var place = 0
                while let (link, visits) = cursor.current, link <= last {
                    while links[place] < link { place += 1 }
                    if links[place] == link, link >= floor { sums[place] += visits }
                    cursor.advance()
                }
            }
        }
        return sums
    }

    func account(named name: String) throws(StoreError) -> AccountID? {
        try findAccount.run { statement throws(StoreError) in
            try statement.bind(1, name)
            return try statement.step() ? AccountID(rawValue: statement.integer(0)) : nil
        }
    }

    /// Keys in the order they were made.
    func keys(includeRevoked: Bool) throws(StoreError) -> [APIKey] {
        try (includeRevoked ? keys : liveKeys).run { statement throws(StoreError) in
            var keys: [APIKey] = []
            while try statement.step() {
                keys.append(
                    APIKey(
                        id: statement.integer(0), account: AccountID(rawValue: statement.integer(1)),
                        accountName: statement.text(2), label: statement.text(3), digest: statement.bytes(4),
                        created: statement.integer(5), revoked: statement.optionalInteger(6)))
            }
            return keys
        }
    }

    func password(of account: String) throws(StoreError) -> PasswordHash? {
        try password.run { statement throws(StoreError) in
            try statement.bind(1, account)
            return try statement.step() ? PasswordHash(stored: statement.text(0)) : nil
        }
    }

    /// Reads something that is always there.
    func probe() throws(StoreError) {
        try readProbe.run { statement throws(StoreError) in
            guard try statement.step() else { throw .unusable("\(connection.file) lacks a row that it was made with.") }
        }
    }

    /// Runs `body` in one read transaction: everything in it sees the store at one moment.
    func snapshot<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try begin.run()
        do throws(StoreError) {
            let result = try body()
            try commit.run()
            return result
        } catch {
            if connection.isInTransaction { try? rollback.run() }
            throw error
        }
    }
}

/// A row of `link` while its visits are still to be found.
private struct LinkRow {
    let id: Int64
    let slug: Slug
    let longURL: LongURL
    let title: String?
    let created: Int64
    let owner: AccountID?
    let isListed: Bool

    /// Reads the columns of `SQL.links`.
    init(_ statement: Statement) {
        id = statement.integer(0)
        slug = Slug(stored: statement.text(1))
        longURL = LongURL(stored: statement.text(2))
        title = statement.optionalText(3)
        created = statement.integer(4)
        owner = statement.optionalInteger(5).map(AccountID.init)
        isListed = statement.integer(6) == 1
    }

    /// Whether the row that the statement stands on is live and wanted.
    static func passes(_ statement: Statement, _ filter: LinkFilter) -> Bool {
        guard statement.isNull(7) else { return false }
        switch filter {
        case .all, .squeezed: return true
        case .listed: return statement.integer(6) == 1
        case .owned(let account): return statement.optionalInteger(5) == account.rawValue
        }
    }

    func link(clicks: Int64) -> Link {
        Link(
            id: LinkID(rawValue: id), slug: slug, longURL: longURL, title: title, created: created, owner: owner,
            isListed: isListed, clicks: clicks)
    }
}
