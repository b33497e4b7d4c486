import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Shortening

/// The cache against a dictionary: whatever it answers must be the newest that it was told; it may always say that it does not
/// know.
struct HotCacheTests {
    private struct Xorshift: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    private enum Answer: Equatable {
        case found(String)
        case absent
        case unknown
    }

    private static func look(_ cache: HotCache, _ slug: String, counting: Bool = false) -> Answer {
        var found = ""
        return switch cache.lookUp(slug.utf8Span.span, counting: counting, { found = text($0) }) {
        case .found: .found(found)
        case .absent: .absent
        case .unknown: .unknown
        }
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        guard let text = try? UTF8Span(validating: bytes) else { return "not UTF-8" }
        return String(copying: text)
    }

    private static func target(_ id: Int, length: Int) -> Target {
        let start = "https://e.example/\(id)/"
        let url = start + String(repeating: "x", count: max(0, length - start.utf8.count))
        return Target(id: LinkID(rawValue: Int64(id)), longURL: LongURL(stored: url))
    }

    private static func insert(_ cache: HotCache, _ slug: String, _ target: Target?) {
        cache.insert(Slug(stored: slug), target, generation: cache.generation(of: slug.utf8Span.span))
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `an answer is the newest of this generation, for this slug and no other`(_ seed: UInt64) {
        let generations = Generations()
        let cache = HotCache(bytes: 1 << 20, generations: generations)
        var random = Xorshift(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        // Many more slugs than fit; the first are asked for most. Some differ in one byte or in length alone.
        let slugs = (0..<4_000).map { "s\($0)" + String(repeating: "-", count: $0 % 40) + ($0 % 3 == 0 ? "a" : "b") }
        var newest: [String: (generation: UInt32, answer: Answer)] = [:]
        var hits = 0
        for step in 0..<25_000 {
            let slug = slugs[min(Int.random(in: 0..<4_000, using: &random), Int.random(in: 0..<4_000, using: &random)) / 2]
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<30:
                let generation = cache.generation(of: slug.utf8Span.span)
                let length = [20, 40, 90, 300, 2_000].randomElement(using: &random) ?? 40
                let target: Target? = step % 5 == 0 ? nil : Self.target(step, length: length)
                cache.insert(Slug(stored: slug), target, generation: generation)
                newest[slug] = (generation, target.map { .found($0.longURL.text) } ?? .absent)
            case 30: generations.advance(Slug(stored: slug))
            default:
                let answer = Self.look(cache, slug)
                guard answer != .unknown else { continue }
                hits += 1
                let known = newest[slug]
                #expect(known?.answer == answer && known?.generation == cache.generation(of: slug.utf8Span.span), "\(slug)")
            }
        }
        #expect(hits > 6_000)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a shard whose hashes collide in every way answers for the right slug`(_ seed: UInt64) {
        let memory = CacheIndexMemory(shards: 1, slotCount: CacheShard.slotCount(bytes: 64 * 1024))
        defer { withExtendedLifetime(memory) {} }
        let shard = CacheShard(bytes: 64 * 1024, memory: memory, number: 0)
        var random = Xorshift(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        var newest: [Int: (generation: UInt32, url: String)] = [:]
        var hits = 0
        for step in 0..<8_000 {
            let id = Int.random(in: 0..<250, using: &random)
            let slug = "slug\(id)"
            // Few home slots, at the end of the index too, few tags, and whole hashes that are equal.
            let hash = UInt64(id % 5) << 32 | (UInt64(0xfffff) - UInt64(id % 11)) << 12
            if Int.random(in: 0..<3, using: &random) == 0 {
                let url = id % 4 == 0 ? "" : "http://\(step).example/" + String(repeating: "y", count: step % 400)
                let generation = UInt32(step % 3)
                shard.insert(
                    slug.utf8Span.span, hash: hash, generation: generation, link: Int64(id), url: url.utf8Span.span)
                newest[id] = (generation, url)
            } else {
                var found = ""
                let generation = newest[id]?.generation ?? 0
                let answer = shard.lookUp(slug.utf8Span.span, hash: hash, generation: generation, counting: true) {
                    found = Self.text($0)
                }
                if case .unknown = answer { continue }
                hits += 1
                #expect(newest[id]?.url == found, "\(slug)")
            }
        }
        #expect(hits > 1_000)
    }

    @Test(arguments: [1 << 20, (1 << 20) - 8192, 1_500_000, (2 << 20) - 8192, 3 << 20], [30, 50, 200])
    func `whatever its size and the links', a full cache learns what is asked for now`(bytes: Int, length: Int) {
        let cache = HotCache(bytes: bytes, generations: Generations())
        // Far more than fit, each asked for twice, so that all of the cache is full of links that were wanted.
        func ask(_ set: String, _ count: Int) -> Int {
            (0..<count).reduce(0) { hits, number in
                let slug = "\(set)\(number)"
                if Self.look(cache, slug) != .unknown { return hits + 1 }
                Self.insert(cache, slug, Self.target(number, length: length))
                _ = Self.look(cache, slug)
                return hits
            }
        }
        _ = ask("old", bytes / 60)
        let count = bytes / 10 / (60 + length)
        for _ in 0..<3 { _ = ask("new", count) }
        let hits = ask("new", count)
        #expect(hits > count * 9 / 10, "\(hits) of \(count)")
    }

    @Test func `entries of every size go in and come out whole`() {
        let cache = HotCache(bytes: 8 << 20, generations: Generations())
        for length in Array(30...300) + Array(stride(from: 301, through: 8_000, by: 97)) + [7_999, 8_000] {
            let slug = String(repeating: "a", count: length % 45 + 1) + "\(length)"
            let target = Self.target(length, length: length)
            Self.insert(cache, slug, target)
            #expect(target.longURL.text.utf8.count == length)
            #expect(Self.look(cache, slug) == .found(target.longURL.text), "\(length)")
        }
    }

    @Test func `what is too large for a shard is not kept, and nothing else suffers`() {
        let cache = HotCache(bytes: 1 << 20, generations: Generations())
        Self.insert(cache, "small", Self.target(1, length: 40))
        for round in 0..<100 { Self.insert(cache, "large\(round)", Self.target(round, length: 8_000)) }
        Self.insert(cache, String(repeating: "s", count: 300), Self.target(2, length: 40))
        #expect(Self.look(cache, String(repeating: "s", count: 300)) == .unknown)
        #expect(Self.look(cache, "large7") == .unknown)
        #expect(Self.look(cache, "small") == .found(Self.target(1, length: 40).longURL.text))
    }

    @Test func `a write makes what was known stale, and an answer from before it never counts`() {
        let generations = Generations()
        let cache = HotCache(bytes: 1 << 20, generations: generations)
        let before = cache.generation(of: "s".utf8Span.span)
        Self.insert(cache, "s", nil)
        #expect(Self.look(cache, "s") == .absent)
        generations.advance(Slug(stored: "s"))
        #expect(Self.look(cache, "s") == .unknown)
        cache.insert(Slug(stored: "s"), Self.target(1, length: 40), generation: before)
        #expect(Self.look(cache, "s") == .unknown)
        Self.insert(cache, "s", Self.target(2, length: 40))
        #expect(Self.look(cache, "s") == .found(Self.target(2, length: 40).longURL.text))
        generations.advanceAll()
        #expect(Self.look(cache, "s") == .unknown)
    }

    @Test(arguments: [1, 2]) func `a flood of absent slugs does not push out what is asked for`(_ times: Int) {
        let cache = HotCache(bytes: 1 << 20, generations: Generations())
        let wanted = (0..<800).map { "wanted\($0)" }
        for (index, slug) in wanted.enumerated() { Self.insert(cache, slug, Self.target(index, length: 60)) }
        for slug in wanted { _ = Self.look(cache, slug) }
        var (hits, looks) = (0, 0)
        for index in 0..<20_000 {
            for _ in 0..<times { _ = Self.look(cache, "flood\(index)") }
            Self.insert(cache, "flood\(index)", nil)
            guard index % 4 == 0 else { continue }
            looks += 1
            let number = index / 4 % wanted.count
            if Self.look(cache, wanted[number]) != .unknown {
                hits += 1
            } else {
                Self.insert(cache, wanted[number], Self.target(number, length: 60))
            }
        }
        #expect(hits * 100 >= looks * 97, "\(hits) of \(looks)")
    }

    @Test func `in a full cache a new link that is asked for again stays`() {
        let cache = HotCache(bytes: 1 << 20, generations: Generations())
        for index in 0..<15_000 { Self.insert(cache, "once\(index)", Self.target(index, length: 60)) }
        let wanted = (0..<300).map { "new\($0)" }
        for (index, slug) in wanted.enumerated() {
            Self.insert(cache, slug, Self.target(index, length: 60))
            _ = Self.look(cache, slug)
        }
        for index in 0..<15_000 { Self.insert(cache, "flood\(index)", nil) }
        let kept = wanted.filter { Self.look(cache, $0) != .unknown }.count
        #expect(kept >= 290)
    }

    @Test func `what is asked for all the time outlives a flood of what is asked for twice`() {
        let cache = HotCache(bytes: 1 << 20, generations: Generations())
        let wanted = (0..<300).map { "wanted\($0)" }
        var (hits, looks) = (0, 0)
        for index in 0..<40_000 {
            Self.insert(cache, "twice\(index)", Self.target(index, length: 60))
            _ = Self.look(cache, "twice\(index)")
            let number = index % wanted.count
            let answer = Self.look(cache, wanted[number])
            if index > 10_000 {
                looks += 1
                if answer == .found(Self.target(number, length: 60).longURL.text) { hits += 1 }
            }
            if answer == .unknown { Self.insert(cache, wanted[number], Self.target(number, length: 60)) }
        }
        #expect(hits * 1000 >= looks * 995, "\(hits) of \(looks)")
    }

    @Test func `memory stays what it was, however much goes in`() async {
        // In a process of its own, where nothing else allocates.
        await #expect(processExitsWith: .exitCode(7)) {
            let cache = HotCache(bytes: 1 << 20, generations: Generations())
            func fill(_ numbers: Range<Int>) {
                for number in numbers {
                    let slug = "m\(number)"
                    HotCacheTests.insert(cache, slug, HotCacheTests.target(number, length: number % 500))
                    _ = HotCacheTests.look(cache, slug)
                }
            }
            fill(0..<20_000)
            let before = HotCacheTests.peak()
            fill(20_000..<60_000)
            // Some 10 MB went through it.
            exit(HotCacheTests.peak() - before < 1024 ? 7 : 1)
        }
    }

    /// The most memory that the process has had, in KiB (getrusage(2)).
    private static func peak() -> Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }

    // MARK: Visits

    @Test func `every visit is counted once, from several threads, over drains, evictions and new entries`() async {
        let generations = Generations()
        let cache = HotCache(bytes: 1 << 20, generations: generations)
        let links = 300
        for id in 0..<links { Self.insert(cache, "v\(id)", Self.target(id, length: 60)) }
        let isOver = Flag()
        async let drained = Self.drain(cache, until: isOver)
        let counted = await withTaskGroup(of: [Int: Int].self) { group in
            for thread in 0..<4 {
                group.addTask { Self.visit(cache, generations, links: links, seed: UInt64(thread + 1)) }
            }
            var sums: [Int: Int] = [:]
            for await counts in group { sums.merge(counts, uniquingKeysWith: +) }
            return sums
        }
        isOver.flag.store(true, ordering: .releasing)
        #expect(await drained == counted)
        #expect(counted.values.reduce(0, +) > 8_000)
        #expect(cache.drainClicks().isEmpty)
    }

    private final class Flag: Sendable { let flag = Atomic<Bool>(false) }

    private static func drain(_ cache: HotCache, until isOver: Flag) async -> [Int: Int] {
        var sums: [Int: Int] = [:]
        var isLast = false
        while !isLast {
            isLast = isOver.flag.load(ordering: .acquiring)
            let counts = cache.drainClicks()
            #expect(Set(counts.map(\.link)).count == counts.count)
            for count in counts { sums[Int(count.link.rawValue), default: 0] += Int(count.visits) }
            await Task.yield()
        }
        return sums
    }

    private static func visit(_ cache: HotCache, _ generations: Generations, links: Int, seed: UInt64) -> [Int: Int] {
        var random = Xorshift(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        var counts: [Int: Int] = [:]
        for step in 0..<6_000 {
            let id = Int.random(in: 0..<links, using: &random)
            switch step % 50 {
            case 0: insert(cache, "filler\(seed)-\(step)", target(100_000, length: 1_000))
            case 1: generations.advance(Slug(stored: "v\(id)"))
            case 2:
                cache.count(Slug(stored: "v\(id)"), LinkID(rawValue: Int64(id)))
                counts[id, default: 0] += 1
            default:
                switch look(cache, "v\(id)", counting: step % 2 == 0) {
                case .found: if step % 2 == 0 { counts[id, default: 0] += 1 }
                default: insert(cache, "v\(id)", target(id, length: 60))
                }
            }
        }
        return counts
    }

    @Test func `a HEAD is no visit, and what is absent has none`() {
        let cache = HotCache(bytes: 1 << 20, generations: Generations())
        Self.insert(cache, "s", Self.target(5, length: 40))
        Self.insert(cache, "none", nil)
        _ = Self.look(cache, "s", counting: false)
        _ = Self.look(cache, "none", counting: true)
        #expect(cache.drainClicks().isEmpty)
        _ = Self.look(cache, "s", counting: true)
        _ = Self.look(cache, "s", counting: true)
        #expect(cache.drainClicks() == [ClickCount(link: LinkID(rawValue: 5), visits: 2)])
        _ = Self.look(cache, "s", counting: true)
        #expect(cache.drainClicks() == [ClickCount(link: LinkID(rawValue: 5), visits: 1)])
    }

    @Test func `more visits than 32 bits hold stay at the most they hold`() {
        let (link, other) = (LinkID(rawValue: 2), LinkID(rawValue: 1))
        var counts = [ClickCount(link: link, visits: .max - 1), ClickCount(link: other, visits: 7)]
        for visits: UInt32 in [1, 5] {
            counts = (counts + [ClickCount(link: link, visits: visits)]).addedUp()
            #expect(counts == [ClickCount(link: other, visits: 7), ClickCount(link: link, visits: .max)])
        }
    }
}
