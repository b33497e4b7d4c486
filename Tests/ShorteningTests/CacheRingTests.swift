import Testing

@testable import Shortening

/// The arithmetic of a ring, at its edges.
struct CacheRingTests {
    @Test func `an entry that fits to the byte goes in, and then nothing does`() {
        var ring = CacheRing(base: 1000, capacity: 96)
        #expect(ring.used == 0 && ring.hasRoom(for: 96) && !ring.hasRoom(for: 104))
        #expect(ring.append(32) == 1000)
        #expect(ring.hasRoom(for: 64) && !ring.hasRoom(for: 72))
        #expect(ring.nextGap(before: 64) == nil)
        #expect(ring.append(64) == 1032)
        #expect(!ring.hasRoom(for: 8) && ring.used > 0)
        #expect(ring.oldest == 1000 && ring.untilEnd == 96)
        ring.dropOldest(32)
        #expect(ring.oldest == 1032 && ring.untilEnd == 64)
        #expect(ring.hasRoom(for: 32) && !ring.hasRoom(for: 40))
        #expect(ring.append(32) == 1000)
        #expect(!ring.hasRoom(for: 8))
        ring.dropOldest(64)
        #expect(ring.oldest == 1000 && ring.untilEnd == 96)
        ring.dropOldest(32)
        #expect(ring.used == 0)
    }

    @Test func `an entry never wraps: the rest before the end is a gap`() {
        var ring = CacheRing(base: 0, capacity: 96)
        _ = ring.append(72)
        let gap = ring.nextGap(before: 32)
        #expect(gap?.place == 72 && gap?.length == 24)
        #expect(!ring.hasRoom(for: 32))
        ring.dropOldest(72)
        // Empty, but what can be used begins where the last entry ended.
        #expect(ring.used == 0 && ring.hasRoom(for: 32) && ring.hasRoom(for: 72) && !ring.hasRoom(for: 80))
        #expect(ring.append(32) == 0)
        #expect(ring.oldest == 72 && ring.untilEnd == 24)
        ring.dropOldest(24)
        #expect(ring.oldest == 0)
        ring.dropOldest(32)
        #expect(ring.used == 0)
    }

    @Test func `a ring is never overfull, and its entries leave in the order in which they came`() {
        var random = SystemRandomNumberGenerator()
        for capacity in [64, 72, 200, 1024] {
            var ring = CacheRing(base: 8, capacity: capacity)
            var entries: [(place: Int, size: Int)] = []
            for _ in 0..<5_000 {
                let size = 8 * Int.random(in: 1...(capacity / 16), using: &random)
                while !ring.hasRoom(for: size) {
                    // What is oldest is a gap or an entry; a gap ends with the memory.
                    guard let first = entries.first, first.place == ring.oldest else {
                        ring.dropOldest(ring.untilEnd)
                        continue
                    }
                    ring.dropOldest(first.size)
                    entries.removeFirst()
                }
                let place = ring.append(size)
                #expect(place >= 8 && place + size <= 8 + capacity)
                #expect(!entries.contains { $0.place < place + size && place < $0.place + $0.size })
                entries.append((place, size))
            }
        }
    }
}
