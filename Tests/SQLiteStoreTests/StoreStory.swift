// One life of a store, from the first start over adds, removals, visits, folding and work on the log to the end and a second
// start, which writes down what was acknowledged. Whatever the disk did meanwhile, a later start is held to that.
import Foundation
import Shortening

@testable import SQLiteStore

/// Lives one life on one file. Blocks.
struct StoreStory {
    private let file: String
    /// What each slug may lead to now; nil stands for nothing. More than one where a change ended in an error.
    private(set) var links: [String: Set<String?>] = [:]
    /// Visits of link 1. Each recording is a power of ten of its own, so that the sum tells which of them are in it.
    private(set) var acknowledgedVisits: Int64 = 0
    private(set) var attemptedVisits: Int64 = 0
    private(set) var hasKey = false
    /// How often the log was worked off by somebody else's means.
    private(set) var truncations: Int64 = 0
    /// Steps that ended in an error, in order.
    private(set) var failures: [String] = []

    private static let digest = SHA256Digest(of: Array("secret".utf8))

    /// Lives it. Where the store cannot be opened it is tried once more, as an operator would. `atEnd` is called after the last
    /// step, before the second close.
    init(on file: String, atEnd: () -> Void = {}) {
        self.file = file
        session { store, story in story.youth(store) }
        session { store, story in
            story.age(store)
            atEnd()
        }
    }

    static func open(_ file: String) throws(StoreError) -> SQLiteStore {
        var options = SQLiteStore.Options()
        options.isDaemon = true
        options.foldInterval = 3600
        options.writeWait = .milliseconds(500)
        // The log is worked off every few pages, in the middle of everything.
        options.logLimit = 12
        return try SQLiteStore.open(file: file, options: options)
    }

    private mutating func session(_ live: (SQLiteStore, inout StoreStory) -> Void) {
        for _ in 0..<2 {
            do throws(StoreError) {
                let store = try Self.open(file)
                live(store, &self)
                return store.close()
            } catch {
                failures.append("open: \(error)")
            }
        }
    }

    private mutating func youth(_ store: SQLiteStore) {
        step("key") { () throws(StoreError) in
            _ = try store.createKey(account: "anna", label: "", digest: Self.digest)
        } done: {
            $0.hasKey = true
        }
        for number in 0..<3 { add("a\(number)", to: store) }
        add("a-longer-slug", to: store)
        record(1, to: store)
        addTogether(24, to: store)
        remove("a1", from: store)
        record(10, to: store)
        fold(store)
        add("a1", version: 2, to: store)
        record(100, to: store)
        remove("a2", from: store)
        truncateLog(store)
        add("b", to: store)
        record(1000, to: store)
    }

    private mutating func age(_ store: SQLiteStore) {
        add("c", to: store)
        record(10_000, to: store)
        remove("a-longer-slug", from: store)
        truncateLog(store)
        add("another-longer-slug", to: store)
    }

    // MARK: Steps

    private mutating func step(
        _ name: String, _ body: () throws(StoreError) -> Void, done: (inout StoreStory) -> Void
    ) {
        do throws(StoreError) {
            try body()
            done(&self)
        } catch {
            failures.append("\(name): \(error)")
        }
    }

    /// Long enough that a few links fill a page.
    static func url(_ slug: String, _ version: Int) -> String {
        "https://example.com/\(slug)/\(version)/" + String(repeating: slug, count: 200)
    }

    private mutating func add(_ slug: String, version: Int = 1, to store: SQLiteStore) {
        let url = Self.url(slug, version)
        let before = links[slug, default: [nil]]
        links[slug] = before.union([url])
        var outcome: AddOutcome?
        step("add \(slug)") { () throws(StoreError) in
            outcome = try store.add(chosen(slug, url))
        } done: {
            // Taken is an answer too, where a removal before it ended in an error, and leaves open what became of that.
            if case .added = outcome { $0.links[slug] = [url] } else { $0.links[slug] = before }
        }
    }

    /// Many adds that wait at once, and so share transactions.
    private mutating func addTogether(_ count: Int, to store: SQLiteStore) {
        let slugs = (0..<count).map { "g\($0)" }
        let group = DispatchGroup()
        let stored = Stored()
        for slug in slugs {
            group.enter()
            store.add(chosen(slug, Self.url(slug, 1))) { outcome in
                if case .success = outcome { stored.insert(slug) }
                group.leave()
            }
        }
        group.wait()
        for slug in slugs {
            links[slug] = stored.contains(slug) ? [Self.url(slug, 1)] : [nil, Self.url(slug, 1)]
        }
        if !slugs.allSatisfy(stored.contains) { failures.append("add together") }
    }

    private mutating func remove(_ slug: String, from store: SQLiteStore) {
        links[slug, default: [nil]].insert(nil)
        var isRemoved = false
        step("remove \(slug)") { () throws(StoreError) in
            isRemoved = try store.remove(Slug(stored: slug))
        } done: {
            // That there is none is an answer too, where its adding ended in an error.
            if isRemoved { $0.links[slug] = [nil] }
        }
    }

    private mutating func record(_ visits: UInt32, to store: SQLiteStore) {
        attemptedVisits += Int64(visits)
        step("record \(visits)") { () throws(StoreError) in
            try SQLiteStore.wait { store.record([ClickCount(link: LinkID(rawValue: 1), visits: visits)], done: $0) }
        } done: {
            $0.acknowledgedVisits += Int64(visits)
        }
    }

    private mutating func fold(_ store: SQLiteStore) {
        let fault = store.onWriter { session throws(StoreError) in
            if let fold = try ClickFold(session) { while try !fold.step() {} }
        }
        if let fault { failures.append("fold: \(fault)") }
    }

    /// As somebody would with a program of SQLite's.
    private mutating func truncateLog(_ store: SQLiteStore) {
        truncations += 1
        let fault = store.onWriter { session throws(StoreError) in
            _ = try session.connection.number("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        if let fault { failures.append("truncate: \(fault)") }
    }

    // MARK: What a later start finds

    /// Opens the file and tells what is not as it was acknowledged, a line each; empty where all is well. Goes on with an
    /// add and a fold, so that the store is not only readable.
    func problemsAfterRestart() -> [String] {
        var problems: [String] = []
        do {
            let store = try Self.open(file)
            problems += try store.verify().map { "integrity: \($0)" }
            var found: [String: String] = [:]
            for link in try store.walk(.all) { found[link.slug.text] = link.longURL.text }
            for (slug, allowed) in links where !allowed.contains(found[slug]) {
                problems.append("\(slug) leads to \(found[slug] ?? "nothing")")
            }
            for slug in found.keys where links[slug] == nil { problems.append("\(slug) was never added") }
            if hasKey, try store.liveKeys().map(\.digest) != [Self.digest.bytes] { problems.append("the key is gone") }
            if case .added = try store.add(chosen("after")) {} else { problems.append("nothing can be added") }
            store.close()
            problems += try visitProblems()
            try Self.open(file).close()
        } catch {
            problems.append("\(error)")
        }
        return problems
    }

    private func visitProblems() throws -> [String] {
        let look = try Connection(file, .read)
        let sum = try look.number("SELECT n FROM click WHERE link = 1")
        var (rest, acknowledged, attempted) = (sum, acknowledgedVisits, attemptedVisits)
        while rest + attempted > 0 {
            guard rest % 10 >= acknowledged % 10, rest % 10 <= attempted % 10 else {
                return ["visits are \(sum) of \(attemptedVisits), acknowledged \(acknowledgedVisits)"]
            }
            (rest, acknowledged, attempted) = (rest / 10, acknowledged / 10, attempted / 10)
        }
        return try look.number("SELECT count(*) FROM click_batch") == 0 ? [] : ["visits were not folded"]
    }
}

extension SQLiteStore {
    /// Runs something with the writer's connection, outside a transaction; returns how it failed.
    @discardableResult
    fileprivate func onWriter(_ body: (WriteSession) throws(StoreError) -> Void) -> StoreError? {
        writer.queue.sync {
            guard let session = writer.housekeepingSession else { return .closed }
            do throws(StoreError) {
                try body(session)
                return nil
            } catch {
                return error
            }
        }
    }
}

/// Slugs, from any thread.
private final class Stored: @unchecked Sendable {
    // Sendable by hand: all access is under the lock.
    private let lock = NSLock()
    private var slugs: Set<String> = []

    func insert(_ slug: String) { lock.withLock { _ = slugs.insert(slug) } }
    func contains(_ slug: String) -> Bool { lock.withLock { slugs.contains(slug) } }
}
