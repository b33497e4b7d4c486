// The index of a cache shard: which entry lies where. It knows hashes and places; what stands there is the shard's business.
//
// A slot: upper bits a tag of the hash │ lower bits the place in the arena / 8 + 1; 0 is a free slot. Linear probing.
// Four bytes a slot, because the first look into the index is the dearest step of a redirect: it nearly always misses the
// processor's caches, and where the index lies on many small pages also its table of pages.
internal import CLinux
internal import Glibc

/// The slots of one shard. Not safe from several threads at once.
@safe struct CacheIndex {
    // Not counted: the cache holds the memory.
    private let slots: UnsafeMutablePointer<UInt32>
    private let mask: Int
    private let placeMask: UInt32
    private(set) var used = 0

    /// The slots that are the `number`th shard's share of `memory`, for entries in an arena of `arenaSize` bytes.
    init(_ memory: CacheIndexMemory, number: Int, arenaSize: Int) {
        unsafe slots = memory.slots(number)
        mask = memory.slotCount - 1
        let places = UInt32(arenaSize / 8 + 1)
        placeMask = .max >> UInt32(places.leadingZeroBitCount)
    }

    /// Whether a quarter or less is free: probing would get slow.
    var isCrowded: Bool { used * 4 >= (mask + 1) * 3 }

    /// Whether at least half is free.
    var isRoomy: Bool { used * 2 < mask }

    // The lowest 12 bits of a hash choose a generation and the uppermost 4 the shard; the rest is for slot and tag.
    @inline(__always)
    private func home(_ hash: UInt64) -> Int { Self.home(hash, mask: mask) }

    @inline(__always)
    fileprivate static func home(_ hash: UInt64, mask: Int) -> Int { Int(truncatingIfNeeded: hash >> 12) & mask }

    @inline(__always)
    private func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 28) & ~placeMask }

    /// The first place whose tag is that of `hash` and that `isWanted`, with its slot.
    @inline(__always)
    func first(_ hash: UInt64, where isWanted: (_ place: Int) -> Bool) -> (slot: Int, place: Int)? {
        var slot = home(hash)
        let tag = tag(hash)
        while true {
            let content = unsafe slots[slot]
            if content == 0 { return nil }
            if content & ~placeMask == tag {
                let place = place(content)
                if isWanted(place) { return (slot, place) }
            }
            slot = (slot + 1) & mask
        }
    }

    @inline(__always)
    private func place(_ content: UInt32) -> Int { (Int(content & placeMask) - 1) * 8 }

    /// Has the processor fetch the slot where a search for a hash begins.
    func prefetch(_ hash: UInt64) { unsafe linux_prefetch(slots + home(hash)) }

    /// Adds an entry; not more of them than slots.
    mutating func insert(_ hash: UInt64, at place: Int) {
        var slot = home(hash)
        while unsafe slots[slot] != 0 { slot = (slot + 1) & mask }
        unsafe slots[slot] = tag(hash) | UInt32(place / 8 + 1)
        used += 1
    }

    /// Frees a slot and moves up those behind it that belong further to the front, so that no search ends early.
    mutating func release(_ slot: Int, hashAt: (_ place: Int) -> UInt64) {
        used -= 1
        var hole = slot
        var slot = slot
        while true {
            slot = (slot + 1) & mask
            let content = unsafe slots[slot]
            if content == 0 { break }
            let home = home(hashAt(place(content)))
            if (slot - home) & mask >= (slot - hole) & mask {
                unsafe slots[hole] = content
                hole = slot
            }
        }
        unsafe slots[hole] = 0
    }
}

/// The memory of the indexes of all shards, in one piece so that it lies on few pages. Zeroed, and touched only as it fills.
@safe final class CacheIndexMemory: @unchecked Sendable {
    // Sendable by hand: it only hands out where the shards' slots are, and each is used under that shard's lock.
    let slotCount: Int
    private let region: UnsafeMutableRawPointer
    private let regionSize: Int
    private let start: UnsafeMutablePointer<UInt32>

    /// What a huge page measures on x86-64 and on most arm64 systems.
    private static let hugePage = 2 << 20

    /// For `shards` indexes of `slotCount` slots, a power of two.
    init(shards: Int, slotCount: Int) {
        self.slotCount = slotCount
        let size = shards * slotCount * MemoryLayout<UInt32>.size
        // A little more than is needed, so that the index can begin where a huge page does.
        regionSize = size + Self.hugePage
        let access = Int32(PROT_READ | PROT_WRITE)
        let region = unsafe mmap(nil, regionSize, access, Int32(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), -1, 0)
        guard let region = unsafe region, unsafe region != MAP_FAILED else {
            fatalError("no memory for a cache index of \(size) bytes")
        }
        unsafe self.region = region
        unsafe start = region.alignedUp(toMultipleOf: Self.hugePage).bindMemory(to: UInt32.self, capacity: size / 4)
        // madvise(2): refused where the system has no huge pages, and then it is only slower. A small index is better without,
        // and a very large one would be all there at once, since its slots are asked for in no order.
        if size >= Self.hugePage, size <= 8 * Self.hugePage {
            unsafe madvise(start, size, 14 /* MADV_HUGEPAGE, which Glibc's module lacks */)
        }
    }

    deinit { unsafe munmap(region, regionSize) }

    /// Has the processor fetch the slot of one shard where a search for a hash begins.
    func prefetch(_ number: Int, _ hash: UInt64) {
        unsafe linux_prefetch(slots(number) + CacheIndex.home(hash, mask: slotCount - 1))
    }

    /// The slots of one shard.
    func slots(_ number: Int) -> UnsafeMutablePointer<UInt32> { unsafe start + number * slotCount }
}
