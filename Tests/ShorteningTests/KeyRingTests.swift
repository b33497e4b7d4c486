import MemoryStore
import Synchronization
import Testing

@testable import Shortening

struct KeyRingTests {
    private let store = MemoryStore()

    @Test func `a key is found by its secret and by no other`() throws {
        store.addKey("my_key")
        store.addKey("0123456789abcdef0123456789abcdef")
        let ring = KeyRing(store: store)
        #expect(!ring.isFresh)
        try ring.refresh()
        #expect(ring.isFresh)
        #expect(ring.key(for: "my_key")?.id == 1)
        // 32 hexadecimal digits are read without case; nothing else is.
        #expect(ring.key(for: "0123456789ABCDEF0123456789abcdef")?.id == 2)
        for secret in ["", "MY_KEY", "my_key ", "my_ke", "my_key\0", "0123456789abcdef0123456789abcde"] {
            #expect(ring.key(for: secret) == nil, "\(secret.debugDescription)")
        }
    }

    @Test func `a revoked key ends, and a new one counts, with the next look`() throws {
        let ring = KeyRing(store: store)
        try ring.refresh()
        #expect(ring.key(for: "a") == nil)
        store.addKey("a")
        #expect(!ring.isFresh)
        try ring.refresh()
        #expect(ring.key(for: "a") != nil)
        store.removeKeys()
        #expect(!ring.isFresh)
        try ring.refresh()
        #expect(ring.key(for: "a") == nil)
    }

    @Test func `a store that cannot be read leaves the ring unfresh`() {
        let ring = KeyRing(store: store)
        store.fail(.busy)
        #expect(throws: StoreError.busy) { try ring.refresh() }
        #expect(!ring.isFresh)
    }

    @Test func `whoever refreshes sees every key of before, however many do at once`() async throws {
        let ring = KeyRing(store: store)
        let store = store
        let misses = await withTaskGroup(of: Int.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    var misses = 0
                    for index in 0..<40 {
                        let secret = "key-\(thread)-\(index)"
                        store.addKey(secret)
                        try? ring.refresh()
                        if ring.key(for: secret) == nil { misses += 1 }
                    }
                    return misses
                }
            }
            return await group.reduce(0, +)
        }
        #expect(misses == 0)
    }
}

struct GenerationsTests {
    @Test func `a write moves its own slug, and hardly any other`() {
        let generations = Generations()
        let others = (0..<2_000).map { Slug(stored: "other\($0)") }
        let before = others.map { generations.generation(of: $0) }
        let slug = Slug(stored: "mine")
        let own = generations.generation(of: slug)
        generations.advance(slug)
        #expect(generations.generation(of: slug) == own &+ 1)
        let moved = zip(others, before).filter { generations.generation(of: $0) != $1 }.count
        #expect(moved < 10)
    }

    @Test func `a change from outside moves all of them, and the keys`() {
        let generations = Generations()
        let slugs = (0..<500).map { Slug(stored: "s\($0)") }
        let before = slugs.map { generations.generation(of: $0) }
        let keys = generations.keys.load(ordering: .acquiring)
        generations.advanceAll()
        #expect(zip(slugs, before).allSatisfy { generations.generation(of: $0) == $1 &+ 1 })
        #expect(generations.keys.load(ordering: .acquiring) == keys &+ 1)
    }

    @Test func `a slug's hash is the same by its text and by its bytes, and differs between processes' seeds`() {
        let generations = Generations()
        let slug = "abc"
        #expect(generations.hash(of: slug.utf8Span.span) == generations.hash(of: Array(slug.utf8).span))
        #expect(generations.hash(of: slug.utf8Span.span) != Generations().hash(of: slug.utf8Span.span))
    }
}
