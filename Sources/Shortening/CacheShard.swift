// One shard of the hot cache: an index over entries that lie in two rings of one fixed piece of memory. New entries go
// through a small ring; only what is asked for again while it is there moves to the main ring (S3-FIFO, Yang et al. 2023),
// so a flood of slugs that are asked for once, real or not, passes through and pushes nothing out. It must not grow.
//
// Arena:    │ small ring │ main ring │
// An entry: hash 8 │ link id 8 │ generation 4 │ tally epoch 4 │ tally index 4 │ URL length 2 │ slug length 1 │ flags 1 │
//           slug │ URL │ up to 7 bytes of padding
//
// Invariants: 1. Every used slot of the index names a live entry, and every live entry has exactly one slot. 2. Entries begin
// at multiples of 8 and lie wholly inside their ring. 3. An entry without a URL (length 0) says that there is no such link.

internal import Glibc

@safe final class CacheShard {
    private static let headerSize = 32
    private static let isDead: UInt8 = 0x80
    private static let isGap: UInt8 = 0x40
    private static let mostHits: UInt8 = 3

    private let arena: UnsafeMutableRawPointer
    private var index: CacheIndex
    private var small: CacheRing
    private var main: CacheRing
    private let scratch: UnsafeMutableRawPointer
    var tally = ClickTally()

    /// The `number`th of the shards whose indexes lie in `memory`. Uses `bytes` in all, at least 64 KiB, what it has of
    /// `memory` included; touched only as it fills. The caller keeps `memory` alive.
    init(bytes: Int, memory: CacheIndexMemory, number: Int) {
        let arenaSize = (Self.budget(bytes) - memory.slotCount * MemoryLayout<UInt32>.size) & ~7
        let smallSize = (arenaSize / 5) & ~7
        unsafe arena = UnsafeMutableRawPointer.allocate(byteCount: arenaSize, alignment: 64)
        unsafe scratch = UnsafeMutableRawPointer.allocate(byteCount: Self.largestEntry, alignment: 8)
        index = CacheIndex(memory, number: number, arenaSize: arenaSize)
        small = CacheRing(base: 0, capacity: smallSize)
        main = CacheRing(base: smallSize, capacity: arenaSize - smallSize)
    }

    /// How many slots a shard of `bytes` needs: about one for 64 bytes of entries, so that with entries of 90 to 100 bytes the
    /// index is two thirds full.
    static func slotCount(bytes: Int) -> Int {
        var count = 256
        while count * 2 * 64 <= budget(bytes) { count *= 2 }
        return count
    }

    private static func budget(_ bytes: Int) -> Int { max(bytes, 64 * 1024) }

    deinit {
        unsafe arena.deallocate()
        unsafe scratch.deallocate()
    }

    // MARK: Entries

    /// A slug of 255 bytes and a URL of 8,000, with room to spare.
    private static let largestEntry = 8512

    private static func size(slug: Int, url: Int) -> Int { (headerSize + slug + url + 7) & ~7 }

    // Places come from `append` and from slots only, so by invariant 2 all of an entry's bytes are inside the arena.
    private func hash(_ place: Int) -> UInt64 { unsafe arena.load(fromByteOffset: place, as: UInt64.self) }
    private func link(_ place: Int) -> Int64 { unsafe arena.load(fromByteOffset: place + 8, as: Int64.self) }
    private func generation(_ place: Int) -> UInt32 { unsafe arena.load(fromByteOffset: place + 16, as: UInt32.self) }
    private func urlLength(_ place: Int) -> Int { unsafe Int(arena.load(fromByteOffset: place + 28, as: UInt16.self)) }
    private func slugLength(_ place: Int) -> Int { unsafe Int(arena.load(fromByteOffset: place + 30, as: UInt8.self)) }
    private func flags(_ place: Int) -> UInt8 { unsafe arena.load(fromByteOffset: place + 31, as: UInt8.self) }
    private func setFlags(_ place: Int, _ flags: UInt8) {
        unsafe arena.storeBytes(of: flags, toByteOffset: place + 31, as: UInt8.self)
    }
    private func tallyPlace(_ place: Int) -> ClickTally.Place {
        unsafe ClickTally.Place(
            epoch: arena.load(fromByteOffset: place + 20, as: UInt32.self),
            index: arena.load(fromByteOffset: place + 24, as: UInt32.self))
    }
    private func setTallyPlace(_ place: Int, _ tally: ClickTally.Place) {
        unsafe arena.storeBytes(of: tally.epoch, toByteOffset: place + 20, as: UInt32.self)
        unsafe arena.storeBytes(of: tally.index, toByteOffset: place + 24, as: UInt32.self)
    }
    private func size(_ place: Int) -> Int { Self.size(slug: slugLength(place), url: urlLength(place)) }

    private func isOf(_ place: Int, _ slug: Span<UInt8>) -> Bool {
        guard slugLength(place) == slug.count else { return false }
        let start = unsafe arena + place + Self.headerSize
        return unsafe slug.withUnsafeBytes { unsafe memcmp(start, $0.baseAddress ?? UnsafeRawPointer(start), slug.count) }
            == 0
    }

    // MARK: Looking up

    /// What the cache knows of a slug whose generation is `generation`. For a link, `found` gets its URL's bytes, and the visit
    /// is counted if `counting`.
    func lookUp(
        _ slug: Span<UInt8>, hash: UInt64, generation current: UInt32, counting: Bool, _ found: (Span<UInt8>) -> Void
    ) -> CacheAnswer {
        guard let (slot, place) = find(slug, hash) else { return .unknown }
        guard generation(place) == current else {
            discard(slot, place)
            return .unknown
        }
        let flags = flags(place)
        if flags < Self.mostHits { setFlags(place, flags + 1) }
        let length = urlLength(place)
        guard length > 0 else { return .absent }
        if counting { setTallyPlace(place, tally.count(LinkID(rawValue: link(place)), at: tallyPlace(place))) }
        let start = unsafe arena + place + Self.headerSize + slug.count
        found(
            unsafe Span(
                _unsafeElements: UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: length)))
        return .found
    }

    @inline(__always)
    private func find(_ slug: Span<UInt8>, _ wanted: UInt64) -> (slot: Int, place: Int)? {
        index.first(wanted) { hash($0) == wanted && isOf($0, slug) }
    }

    /// Marks an entry dead and frees its slot.
    private func discard(_ slot: Int, _ place: Int) {
        setFlags(place, flags(place) | Self.isDead)
        releaseSlot(slot)
    }

    private func releaseSlot(_ slot: Int) { index.release(slot) { hash($0) } }

    // MARK: Inserting

    /// Remembers a slug's link, or with no target that there is none.
    func insert(_ slug: Span<UInt8>, hash: UInt64, generation: UInt32, link: Int64, url: Span<UInt8>) {
        let size = Self.size(slug: slug.count, url: url.count)
        guard slug.count < 256, size <= Self.largestEntry, size * 4 <= small.capacity else { return }
        if let (slot, place) = find(slug, hash) { discard(slot, place) }
        while !small.hasRoom(for: size) { retireFromSmall() }
        // In their rings' own proportion, so that neither crowds the other out.
        while index.isCrowded { if small.used * 4 >= main.used { retireFromSmall() } else { retireFromMain() } }
        markGap(small, before: size)
        let place = small.append(size)
        unsafe arena.storeBytes(of: hash, toByteOffset: place, as: UInt64.self)
        unsafe arena.storeBytes(of: link, toByteOffset: place + 8, as: Int64.self)
        unsafe arena.storeBytes(of: generation, toByteOffset: place + 16, as: UInt32.self)
        setTallyPlace(place, .none)
        unsafe arena.storeBytes(of: UInt16(url.count), toByteOffset: place + 28, as: UInt16.self)
        unsafe arena.storeBytes(of: UInt8(slug.count), toByteOffset: place + 30, as: UInt8.self)
        setFlags(place, 0)
        copy(slug, to: place + Self.headerSize)
        copy(url, to: place + Self.headerSize + slug.count)
        index.insert(hash, at: place)
    }

    private func copy(_ bytes: Span<UInt8>, to place: Int) {
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(start: arena + place, count: source.count).copyMemory(from: source)
        }
    }

    /// A gap long enough for a header says so in its flags; a shorter one is known by its length.
    private func markGap(_ ring: CacheRing, before size: Int) {
        guard let gap = ring.nextGap(before: size), gap.length >= Self.headerSize else { return }
        setFlags(gap.place, Self.isGap)
    }

    // MARK: Retiring

    /// The oldest live entry of a ring, taken out of it; nil if what was oldest was a gap or dead.
    private func takeOldest(_ ring: inout CacheRing) -> (place: Int, size: Int)? {
        let place = ring.oldest
        let untilEnd = ring.untilEnd
        guard untilEnd >= Self.headerSize, flags(place) & Self.isGap == 0 else {
            ring.dropOldest(untilEnd)
            return nil
        }
        let size = size(place)
        ring.dropOldest(size)
        return flags(place) & Self.isDead == 0 ? (place, size) : nil
    }

    /// Has the processor fetch the slot of the entry that will go next: it will be wanted when the next one comes.
    private func expectOldest(_ ring: CacheRing) {
        // Of a gap what stands there is no hash, and any slot may be fetched.
        if ring.untilEnd >= Self.headerSize { index.prefetch(hash(ring.oldest)) }
    }

    private func retireFromSmall() {
        guard let entry = takeOldest(&small) else { return }
        expectOldest(small)
        let isWanted = flags(entry.place) > 0
        // While the main ring has room a link goes there anyway; knowledge of what is not there must earn it.
        let isWelcome = urlLength(entry.place) > 0 && index.isRoomy && main.hasRoom(for: entry.size)
        guard isWanted || isWelcome else { return releaseSlot(slotNaming(entry.place)) }
        // Making room writes to the main ring only, so the entry's bytes, in the small one, stay as they are.
        while !main.hasRoom(for: entry.size) { retireFromMain() }
        releaseSlot(slotNaming(entry.place))
        unsafe appendToMain(unsafe UnsafeRawPointer(arena + entry.place), entry.size)
    }

    /// Drops the oldest entry of the main ring, or moves it to the head if it was asked for since it last came by.
    private func retireFromMain() {
        guard let entry = takeOldest(&main) else { return }
        expectOldest(main)
        let hits = flags(entry.place)
        if hits > 0 { setFlags(entry.place, hits - 1) }
        // Saved first: the head may lie where the entry begins.
        unsafe scratch.copyMemory(from: arena + entry.place, byteCount: entry.size)
        releaseSlot(slotNaming(entry.place))
        if hits > 0, main.hasRoom(for: entry.size) { unsafe appendToMain(unsafe UnsafeRawPointer(scratch), entry.size) }
    }

    private func appendToMain(_ bytes: UnsafeRawPointer, _ size: Int) {
        markGap(main, before: size)
        let place = main.append(size)
        unsafe (arena + place).copyMemory(from: bytes, byteCount: size)
        index.insert(hash(place), at: place)
    }

    /// The slot of a live entry; by invariant 1 there is one.
    private func slotNaming(_ place: Int) -> Int {
        guard let found = index.first(hash(place), where: { $0 == place }) else {
            preconditionFailure("an entry has no slot")
        }
        return found.slot
    }
}
