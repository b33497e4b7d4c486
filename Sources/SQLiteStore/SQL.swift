// All SQL of the program but the migrations. Each statement is prepared once a connection.

/// The statements by name. `?1` and so on are the places that `Statement.bind` fills.
enum SQL {
    // MARK: Opening

    static let applicationID = "PRAGMA application_id"
    static func setApplicationID(_ id: Int32) -> String { "PRAGMA application_id = \(id)" }
    static let pageSize = "PRAGMA page_size"
    static let countTables = "SELECT count(*) FROM sqlite_schema"
    static let countMigrationTables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
    static let migrations = "SELECT number, digest FROM migration ORDER BY number"
    static let secureDelete = "PRAGMA secure_delete"
    /// FAST: a table that is dropped is not overwritten with zeros, which some builds of SQLite would do in memory first.
    static let tuneMigrations = """
        PRAGMA foreign_keys = OFF;
        PRAGMA secure_delete = FAST;
        """
    static func endMigrations(secureDelete: Int64) -> String {
        """
        PRAGMA foreign_keys = ON;
        PRAGMA secure_delete = \(secureDelete);
        """
    }
    static let recordMigration = "INSERT INTO migration (number, name, digest, applied) VALUES (?1, ?2, ?3, ?4)"
    static let useWriteAheadLog = "PRAGMA journal_mode = WAL"
    /// A file that no log belongs to, as a copy should be.
    static let leaveWriteAheadLog = "PRAGMA journal_mode = DELETE"
    /// For a file that nobody knows yet: it is put on the disk as a whole, or deleted. It is there before its connection closes: SQLite
    /// holds a lock of all its files while it closes one, and a file system over a network writes out then what it still has.
    static let tuneCopy = """
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = NORMAL;
        PRAGMA mmap_size = 0;
        """
    static let countLinks = "SELECT count(*) FROM link WHERE removed IS NULL"
    static let quickCheck = "PRAGMA quick_check(1)"
    static let integrityCheck = "PRAGMA integrity_check(100)"
    /// As `table link` with its SQL, and without what SQLite makes by itself.
    static let declarations = "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
    static let countTargetTables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'target'"
    /// Every entry with the slug that its link has, and whether it leads where the link does.
    static let targets = """
        SELECT t.key, t.link, l.slug, t.url IS CASE WHEN l.removed IS NULL THEN l.url END
        FROM target t LEFT JOIN link l ON l.id = t.link
        """
    /// Those that should be there, or somebody else's texts of that length, which are no slugs.
    static let countShortSlugs = "SELECT count(*) FROM link WHERE NOT \(hasLongSlug)"
    static let missingTargets = """
        SELECT 'link ' || id || ' (' || slug || ') is not found by its slug' FROM link
        WHERE id IN (SELECT link FROM link_target EXCEPT SELECT link FROM target) LIMIT 100
        """
    static let foreignKeyCheck =
        "SELECT \"table\" || ' row ' || rowid || ' names no ' || parent FROM pragma_foreign_key_check"

    /// cache_size is negative to count in KiB. 4 MiB hold the inner pages of the targets of 10 million links, so that a cold
    /// look-up reads one leaf. The file is not mapped: its pages would count as the daemon's memory.
    static let tuneReader = """
        PRAGMA query_only = ON;
        PRAGMA cache_size = -4096;
        PRAGMA mmap_size = 0;
        """

    /// FULL: a commit returns after its log is on the disk. The log is cut back to 16 MiB once it was worked off.
    static let tuneWriter = """
        PRAGMA synchronous = FULL;
        PRAGMA foreign_keys = ON;
        PRAGMA cache_size = -4096;
        PRAGMA mmap_size = 0;
        PRAGMA temp_store = MEMORY;
        PRAGMA journal_size_limit = 16777216;
        """
    /// It reads hardly a page but those it moves. The log is synced before pages go to the file, and the file after.
    static let tuneLogWorker = """
        PRAGMA synchronous = FULL;
        PRAGMA cache_size = 1;
        PRAGMA mmap_size = 0;
        """

    // MARK: Transactions

    static let beginRead = "BEGIN"
    /// Of what nobody reads any more; without waiting for those who do. Answers with 0 or, where it could not, 1, and the log's
    /// pages and how many of them are worked off.
    static let workOffLog = "PRAGMA wal_checkpoint(PASSIVE)"
    /// Takes the write lock at once: a transaction that reads first and writes later may find itself unable to.
    static let beginWrite = "BEGIN IMMEDIATE"
    static let commit = "COMMIT"
    static let rollback = "ROLLBACK"
    /// Moves when another connection committed, not when this one did.
    static let dataVersion = "PRAGMA data_version"

    // MARK: Links

    /// Of slugs without a number (`Slug.number`), in the very words of their index.
    static let hasLongSlug = "length(slug) > 10"
    /// The row of a slug, be it a removed link's: `?1` is the slug's number, or else `?2` the slug. `Statement.bind(_: Slug)`.
    static let linkOfSlug = """
        (SELECT link FROM target WHERE key = ?1 UNION ALL SELECT id FROM link WHERE slug = ?2 AND \(hasLongSlug))
        """
    static let findTarget = "SELECT link, url FROM target WHERE key = ?1 AND url IS NOT NULL"
    static let findLongTarget = "SELECT id, url FROM link WHERE slug = ?1 AND \(hasLongSlug) AND removed IS NULL"
    static let findLiveRow = "SELECT id FROM link WHERE id = \(linkOfSlug) AND removed IS NULL"
    private static let linkColumns = "id, slug, url, title, created, owner, listed, removed"
    static let findLink = "SELECT \(linkColumns) FROM link WHERE id = \(linkOfSlug) AND removed IS NULL"
    static let links = "SELECT \(linkColumns) FROM link WHERE id > ?1 ORDER BY id LIMIT ?2"
    /// All links of the blocks that hold listed ones. The sign keeps SQLite from looking for a block's links from `?1` on, through
    /// all blocks before it.
    static let linksNearListed = """
        SELECT \(linkColumns) FROM listed_block b CROSS JOIN link l ON l.id BETWEEN 64 * b.number AND 64 * b.number + 63
        WHERE b.number >= ?1 / 64 AND +l.id > ?1 ORDER BY b.number, l.id LIMIT ?2
        """
    static let squeezedLinks = """
        SELECT \(linkColumns) FROM link WHERE owner = ?3 AND squeezed = 1 AND removed IS NULL AND id > ?1 ORDER BY id LIMIT ?2
        """
    static let skipSqueezedLinks = """
        SELECT id FROM link WHERE owner = ?1 AND squeezed = 1 AND removed IS NULL AND id > ?2 ORDER BY id LIMIT 1 OFFSET ?3
        """
    /// Before the link itself: SQLite gives that the largest id and one more (https://www.sqlite.org/autoinc.html, 2).
    static let addTarget = """
        INSERT INTO target (key, link, url) VALUES (?1, (SELECT coalesce(max(id), 0) + 1 FROM link), ?2) ON CONFLICT DO NOTHING
        """
    static let removeTarget = "DELETE FROM target WHERE key = ?1"
    /// Stores nothing where either of the unique indexes, that of long slugs or that of squeezed links, has the values already.
    static let addLink = """
        INSERT INTO link (slug, url, title, created, owner, listed, squeezed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT DO NOTHING
        """
    static let addListedBlock = "INSERT INTO listed_block (number) VALUES (?1) ON CONFLICT DO NOTHING"
    static let findSqueezedLink =
        "SELECT id, slug FROM link WHERE owner = ?1 AND url = ?2 AND squeezed = 1 AND removed IS NULL"
    static let removeLink = "UPDATE link SET removed = ?3, listed = 0 WHERE id = \(linkOfSlug) AND removed IS NULL"
    static let freeSlug = "UPDATE link SET slug = NULL WHERE id = \(linkOfSlug) AND removed IS NOT NULL"

    // MARK: Clicks

    static let appendClicks = "INSERT INTO click_batch (packed) VALUES (?1)"
    static let clicks = "SELECT n FROM click WHERE link = ?1"
    static let foldProgress = "SELECT through, below FROM click_fold"
    static let clickBatches = "SELECT id, packed FROM click_batch ORDER BY id"
    static let clickBatchesForFolding = "SELECT id, packed FROM click_batch WHERE id <= ?1 ORDER BY id LIMIT ?2"
    static let addClicks = """
        INSERT INTO click (link, n) VALUES (?1, ?2) ON CONFLICT (link) DO UPDATE SET n = n + excluded.n
        """
    static let setFoldProgress = "UPDATE click_fold SET through = ?1, below = ?2 WHERE through = ?3 AND below = ?4"
    static let deleteClickBatches = "DELETE FROM click_batch WHERE id <= ?1"

    // MARK: Accounts

    static let addAccount = "INSERT INTO account (name, created) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING"
    static let findAccount = "SELECT id FROM account WHERE name = ?1"
    static let setPassword = "UPDATE account SET password = ?2 WHERE name = ?1"
    static let password = "SELECT password FROM account WHERE name = ?1 AND password IS NOT NULL"
    static let addKey = """
        INSERT INTO api_key (account, label, digest, created) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (digest) WHERE revoked IS NULL DO NOTHING
        """
    private static let keyColumns = "k.id, k.account, a.name, k.label, k.digest, k.created, k.revoked"
    static let keys = "SELECT \(keyColumns) FROM api_key k JOIN account a ON a.id = k.account ORDER BY k.id"
    static let liveKeys = """
        SELECT \(keyColumns) FROM api_key k JOIN account a ON a.id = k.account WHERE k.revoked IS NULL ORDER BY k.id
        """
    static let revokeKey = "UPDATE api_key SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL"

    // MARK: Health

    static let readProbe = "SELECT probed FROM health"
    static func limitPages(to count: Int) -> String { "PRAGMA max_page_count = \(count)" }
    static let writeProbe = "UPDATE health SET probed = ?1"
}
