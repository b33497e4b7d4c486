// Sorts more links than memory should hold. What fits is sorted in memory; beyond that sorted runs are put aside in a nameless
// file beside the store and merged while they are read (Knuth, The Art of Computer Programming, 5.4.1).
//
// An index that is filled in its own order is filled many times faster, and one that is much larger than its cache only so.
internal import Shortening

/// Links on their way from the input to the store. Fill it, seal it, read it as often as you like. Confined to one thread.
struct LinkSpool: ~Copyable {
    private(set) var count = 0
    private let folder: String
    private let limit: SpoolPart.Limit
    private var part = SpoolPart()
    /// Set once there was too much for memory.
    private var writer: RunWriter?
    private var runs: [SpoolRun] = []

    /// `folder` is where the nameless file may be made.
    init(folder: String, limit: SpoolPart.Limit = SpoolPart.Limit()) {
        self.folder = folder
        self.limit = limit
        part.reserve(limit)
    }

    /// Makes room for one more link; to be called before each.
    mutating func makeRoom() throws(TransferError) {
        if part.isFull(limit) { try putAside() }
    }

    /// Takes the one link that `pack` appends, or nothing where it throws.
    mutating func append<Failure: Error>(_ pack: (inout PackedLinks) throws(Failure) -> Void) throws(Failure) {
        try part.append(pack)
        count += 1
    }

    /// To be called after the last link and before the first stream.
    mutating func seal() throws(TransferError) {
        guard writer != nil else { return part.sort() }
        if !part.isEmpty { try putAside() }
        runs = try writer?.finish() ?? []
        part = SpoolPart()
    }

    /// Whether all of it is in memory, so that it can be read in the input's order too.
    var isInMemory: Bool { writer == nil }

    /// All links from the first to the last, in order of the slugs or in that of the input.
    func stream(inInputOrder: Bool = false) -> LinkStream {
        if let writer { return LinkStream(runs, in: writer.file) }
        let starts = part.keys.map { Int($0.start) }
        return LinkStream(part.links, order: inInputOrder ? starts.sorted() : starts)
    }

    private mutating func putAside() throws(TransferError) {
        if writer == nil { writer = try RunWriter(folder: folder) }
        let full = part
        part = SpoolPart()
        part = try writer?.putAside(full) ?? part
        part.reserve(limit)
    }
}
