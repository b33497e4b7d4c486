// A store in a folder of its own, with imports from texts and exports to texts.
import Foundation
import Glibc
import SQLiteStore
import Shortening

@testable import Transfer

final class Depot {
    let folder = FileManager.default.temporaryDirectory.path + "/shorty-transfer-\(UUID().uuidString)"
    private(set) var store: SQLiteStore
    /// When links were made that do not say it.
    static let now: Int64 = 1_900_000_000
    static let rules: ShorteningRules = {
        let reserved = ReservedNames(["api-add"])
        return ShorteningRules(
            reserved: reserved, generator: SlugGenerator(length: 6, reserved: reserved), publicURL: "https://s.example")
    }()

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try SQLiteStore.open(file: folder + "/links.db")
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Throws everything away.
    func wipe() throws {
        store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("links.db") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        store = try SQLiteStore.open(file: folder + "/links.db")
    }

    struct Report: Equatable {
        var summary = ImportSummary()
        /// The bad rows by line.
        var reasons: [Int: String] = [:]
        var error: TransferError?

        var lines: [Int] { reasons.keys.sorted() }
    }

    /// Imports bytes as a file would be. `limit` bounds what is sorted at once.
    func take(
        _ bytes: [UInt8], _ format: TransferFormat = .csv, strict: Bool = false,
        limit: SpoolPart.Limit = SpoolPart.Limit()
    ) throws -> Report {
        let name = folder + "/input"
        try Data(bytes).write(to: URL(fileURLWithPath: name))
        var plan = ImportPlan(format: format, rules: Self.rules, now: Self.now, scratch: folder)
        plan.isStrict = strict
        var reasons: [Int: String] = [:]
        var run = ImportRun(plan, into: try store.bulkInsert()) { reasons[$0] = $1 }
        run.limit = limit
        var report = Report()
        do throws(TransferError) { try run.run(try InputFile(name)) } catch { report.error = error }
        report.summary = run.summary
        report.reasons = reasons
        return report
    }

    func take(_ text: String, _ format: TransferFormat = .csv, strict: Bool = false) throws -> Report {
        try take(Array(text.utf8), format, strict: strict)
    }

    func give(_ format: TransferFormat = .csv) throws -> String {
        var output: [UInt8] = []
        _ = try ExportRun(format, from: store.records()).run { output += $0 }
        return String(decoding: output, as: UTF8.self)
    }

    /// The live link of a slug.
    func link(_ slug: String) throws -> Link? { try store.link(Slug(stored: slug)) }

    /// All live links in the order in which lists show them.
    func slugs() throws -> [String] {
        var slugs: [String] = []
        var after: LinkID?
        repeat {
            let page = try store.links(.all, after: after, limit: 1000)
            slugs += page.links.map(\.slug.text)
            after = page.next
        } while after != nil
        return slugs
    }
}

/// Xorshift (Marsaglia 2003): short, and the same on every machine.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
