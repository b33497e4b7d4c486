// What stays in a reader's page cache while links are looked up at once: the inner pages, and never a wrong one.
import Foundation
import Shortening
import Testing

@testable import SQLiteStore

/// Look-ups in a store that is larger than the cache.
@Suite(
    .enabled(
        if: canTellWhatIsInMemory, "the file system of the temporary folder cannot say what the kernel holds of a file"))
struct LeafBufferTests {
    private static let links = 200_000

    /// A store of which a reader keeps 16 pages: little more than the inner ones of the tree of targets.
    private func store(in folder: TemporaryFolder) throws -> SQLiteStore {
        try folder.makeStore(links: Self.links)
        let store = try folder.open { $0.readers = 1 }
        let size = store.readers.askIfFree { session in
            try? session.connection.execute("PRAGMA cache_size = 16")
            return try? session.connection.number("PRAGMA cache_size")
        }
        try #require(size == 16)
        return store
    }

    private func slug(_ number: Int) -> Slug { Slug(stored: String(format: "s%06d", number)) }

    @Test func `leaves do not drive out the inner pages`() async throws {
        let folder = try TemporaryFolder()
        let store = try store(in: folder)
        defer { store.close() }
        var numbers = Numbers(below: Self.links)
        var (answered, reads) = (0, 0)
        for _ in 0..<2_000 where answered < 2_000 {
            let slugs = (0..<20).map { _ in slug(numbers.next()) }
            let before = readsOfThisThread()
            let count = store.findTargetsAtOnce(slugs).count
            // The kernel may have dropped a page; then the others' reads are not to be told from the one that failed.
            if count == slugs.count {
                answered += count
                reads += readsOfThisThread() - before
            } else {
                _ = try await store.targets(slugs.map(\.text))
            }
        }
        try #require(answered >= 2_000, "the kernel keeps nothing of the file in memory")
        let each = Double(reads) / Double(answered)
        #expect(each > 0.75 && each < 1.25, "\(each) reads a look-up, of which one is its leaf")
    }

    @Test func `every answer is right while the store changes`() async throws {
        let folder = try TemporaryFolder()
        let store = try store(in: folder)
        defer { store.close() }
        var numbers = Numbers(below: Self.links)
        var changed: [Int: String?] = [:]
        var seen = 0
        for round in 0..<60 {
            for _ in 0..<5 {
                // Up to half of them changed, and all asked for twice, so that a leaf is wanted again while it waits to be reused.
                let asked = (0..<10).map { _ in numbers.next() } + changed.keys.shuffled().prefix(10)
                let wanted = asked.map { changed[$0] ?? "https://example.com/\($0)" }
                let slugs = (asked + asked).map(slug)
                let found = store.findTargetsAtOnce(slugs).map { $0?.longURL.text }
                #expect(found == Array((wanted + wanted).prefix(found.count)))
                seen += found.count
                if found.count < slugs.count || round % 3 == 0 {
                    #expect(try await store.targets(slugs.map(\.text)).map { $0?.longURL.text } == wanted + wanted)
                }
            }
            let (gone, new) = (numbers.next(), Self.links + round)
            if changed[gone] == nil {
                #expect(try await store.removing(slug(gone).text))
                changed[gone] = .some(nil)
            }
            try await store.adding(slug(new).text, "https://example.com/new/\(round)")
            changed[new] = "https://example.com/new/\(round)"
            // Others use the same cache in between.
            if round % 5 == 0 { #expect(try store.links(.all, after: nil, limit: 1000).links.count == 1000) }
            if round % 7 == 0 { _ = store.readers.askIfFree { try? $0.connection.execute("PRAGMA shrink_memory") } }
        }
        #expect(seen > 1_000, "hardly anything was answered at once")
    }
}

/// The same numbers in each run, in no order (a linear congruential generator, Knuth's MMIX).
private struct Numbers {
    private let bound: Int
    private var state: UInt64 = 44

    init(below bound: Int) { self.bound = bound }

    mutating func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}

/// How often this thread has called read(2) and its like (proc(5), io).
private func readsOfThisThread() -> Int {
    let text = (try? String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("syscr: ") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? 0
}
