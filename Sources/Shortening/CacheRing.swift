// A first-in first-out run of entries in a fixed piece of memory, by arithmetic alone: it says where entries go and which is
// the oldest, and never touches a byte itself.
//
// Offsets grow for ever; the place of an offset is its remainder by the capacity. An entry never wraps: what is left before
// the end is skipped, by a gap that is remembered in the offsets.

struct CacheRing {
    /// Where the ring's memory begins, in bytes from the arena's start.
    let base: Int
    let capacity: Int
    /// Where the next entry goes, and where the oldest is.
    private(set) var head = 0
    private(set) var tail = 0

    init(base: Int, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    /// Bytes between the oldest entry and the next.
    var used: Int { head - tail }

    /// Whether an entry of this size goes in without removing one.
    func hasRoom(for size: Int) -> Bool { head + gap(before: size) + size - tail <= capacity }

    /// What must be skipped at the end of the memory for an entry of this size to lie in one piece.
    private func gap(before size: Int) -> Int {
        let left = capacity - head % capacity
        return left < size ? left : 0
    }

    /// The gap that the next entry of this size will leave: its place in the arena and its length, nil for none.
    func nextGap(before size: Int) -> (place: Int, length: Int)? {
        let length = gap(before: size)
        return length == 0 ? nil : (base + head % capacity, length)
    }

    /// Takes room for an entry; the caller has seen that there is some. Returns its place in the arena.
    mutating func append(_ size: Int) -> Int {
        head += gap(before: size)
        defer { head += size }
        return base + head % capacity
    }

    /// The place of the oldest entry or gap.
    var oldest: Int { base + tail % capacity }

    /// How many bytes lie between the oldest and the end of the memory.
    var untilEnd: Int { capacity - tail % capacity }

    mutating func dropOldest(_ size: Int) { tail += size }
}
