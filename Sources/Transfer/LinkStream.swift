// Reads a spool from its beginning: from memory, or by merging the runs of its file. The runs' first links stand in a heap, the
// lowest on top; equal slugs come in the order of their runs, which is the input's.
internal import Shortening

/// A spool's links, some at a time. Confined to one thread.
struct LinkStream: ~Copyable {
    /// Set where the file could not be read; the links then end early.
    private(set) var failure: TransferError?

    /// Bytes for all runs' buffers together, where there are so many that it matters, and for one.
    private static let (memory, buffers) = (16 << 20, (1 << 14)...(1 << 17))

    private var arena = PackedLinks()
    private var order: ArraySlice<Int> = []
    private var runs: [RunReader] = []
    /// Indices of `runs`.
    private var heap: [Int] = []
    private let file: Descriptor?

    /// From memory.
    init(_ arena: PackedLinks, order: [Int]) {
        self.arena = arena
        self.order = order[...]
        file = nil
    }

    /// From a file.
    init(_ runs: [SpoolRun], in file: Descriptor) {
        let bufferSize = min(max(Self.memory / max(runs.count, 1), Self.buffers.lowerBound), Self.buffers.upperBound)
        var readers = runs.map { RunReader($0, bufferSize: bufferSize) }
        var isRead = true
        for index in readers.indices { isRead = readers[index].advance(file) && isRead }
        self.file = file
        self.runs = readers
        if !isRead { failure = Self.fault }
        // Runs are never empty.
        for index in self.runs.indices {
            heap.append(index)
            siftUp(heap.count - 1)
        }
    }

    /// Appends the next links, at most `count`; none at the end.
    mutating func fill(_ links: inout PackedLinks, _ count: Int) {
        for start in order.prefix(count) {
            let length = PackedLink.length(arena.bytes.span.extracting(start...))
            links.append(arena.bytes[start..<(start + length)])
        }
        order = order.dropFirst(count)
        for _ in 0..<count {
            guard let top = heap.first, failure == nil else { return }
            links.append(runs[top].link)
            if !advance(top) { failure = Self.fault }
        }
    }

    private static var fault: TransferError {
        .scratch("Links that were put aside for sorting cannot be read again: \(Descriptor.errorText).")
    }

    /// Moves a run, which stands on top, to its next link. False where that cannot be read.
    private mutating func advance(_ run: Int) -> Bool {
        guard let file else { return false }
        let isRead = runs[run].advance(file)
        if runs[run].isAtEnd, let last = heap.popLast(), !heap.isEmpty { heap[0] = last }
        siftDown()
        return isRead
    }

    // MARK: Heap

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (a, b) = (runs[left].prefix, runs[right].prefix)
        if a != b { return a < b }
        let order = runs[left].order(beside: runs[right])
        return order == 0 ? left < right : order < 0
    }

    private mutating func siftUp(_ index: Int) {
        var child = index
        while child > 0, precedes(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if precedes(heap[child], heap[least]) { least = child }
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

/// One run's next link, with a piece of the run behind it.
struct RunReader {
    /// The first bytes of the link's slug (`Span.sortPrefix`).
    private(set) var prefix: UInt64 = 0
    private(set) var isAtEnd = false
    /// Where the part of the file begins that is not in the buffer.
    private var place: Int
    private let end: Int
    private let bufferSize: Int
    private var buffer: [UInt8] = []
    private var current = 0..<0
    private var filled = 0

    init(_ run: SpoolRun, bufferSize: Int) {
        place = run.start
        end = run.end
        self.bufferSize = bufferSize
    }

    /// The link that the run stands on, from its first byte to its last.
    var link: ArraySlice<UInt8> { buffer[current] }

    /// As `Span.order(beside:)` for the slugs of two runs' links.
    func order(beside other: RunReader) -> Int {
        PackedLink(at: buffer.span.extracting(current)).slug.order(
            beside: PackedLink(at: other.buffer.span.extracting(other.current)).slug)
    }

    /// Goes to the next link; false with errno set where the file cannot be read.
    mutating func advance(_ file: Descriptor) -> Bool {
        let start = current.upperBound
        // A link's length stands in its first eight bytes.
        var needed = 8
        if filled - start >= needed { needed = PackedLink.length(buffer.span.extracting(start..<filled)) }
        if filled - start < needed {
            if filled == start, place == end {
                isAtEnd = true
                return true
            }
            guard refill(from: start, file) else { return false }
            current = 0..<0
            return advance(file)
        }
        current = start..<(start + needed)
        prefix = PackedLink(at: buffer.span.extracting(current)).slug.sortPrefix
        return true
    }

    /// Moves what is left to the buffer's beginning and reads on behind it.
    private mutating func refill(from start: Int, _ file: Descriptor) -> Bool {
        let left = filled - start
        var needed = bufferSize
        if left >= 8 { needed = max(needed, PackedLink.length(buffer.span.extracting(start..<filled))) }
        if buffer.count < needed { buffer += [UInt8](repeating: 0, count: needed - buffer.count) }
        for index in 0..<left { buffer[index] = buffer[start + index] }
        filled = left
        let room = left..<min(buffer.count, left + end - place)
        guard let count = file.read(into: &buffer, room, at: place), count > 0 else { return false }
        filled += count
        place += count
        return true
    }
}
