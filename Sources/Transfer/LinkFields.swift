// What one row of an input says, before anybody has looked whether it may be stored. Texts stay where the reader has put
// them; nothing is allocated for a row that has only what most have.

/// A row's fields. Ranges are places in the reader's text.
struct LinkFields {
    /// The line that the row began in, from 1.
    var line = 0
    /// Set where the row is a collection and no link.
    var isCollection = false
    /// A collection's name, where the row is one.
    var slug: Range<Int>?
    var longURL: Range<Int>?
    var title: Range<Int>?
    var description: Range<Int>?
    var created: Int64?
    var clicks: Int64 = 0
    /// Whether a collection is public, where the row is one.
    var isListed = false
    var owner: Range<Int>?
    var expires: Int64?
    var removed: Int64?
    var isSqueezed = false
    var tags: [Range<Int>] = []
    var memberships: [(name: Range<Int>, position: Int64?)] = []
    /// Start, end, instructors, location.
    var events: [(Range<Int>, Range<Int>, Range<Int>, Range<Int>)] = []

    var hasDetails: Bool {
        owner != nil || expires != nil || removed != nil || isSqueezed || description != nil || !tags.isEmpty
            || !memberships.isEmpty
            || !events.isEmpty
    }

    /// Empties all but the line.
    mutating func clear() {
        isCollection = false
        slug = nil
        longURL = nil
        title = nil
        description = nil
        created = nil
        clicks = 0
        isListed = false
        owner = nil
        expires = nil
        removed = nil
        isSqueezed = false
        // Most rows have none, and emptying an empty array costs more than asking.
        if !tags.isEmpty { tags.removeAll(keepingCapacity: true) }
        if !memberships.isEmpty { memberships.removeAll(keepingCapacity: true) }
        if !events.isEmpty { events.removeAll(keepingCapacity: true) }
    }
}

/// What a reader came to.
enum RowStep: Equatable {
    /// The chunk is used up.
    case more
    /// The reader's fields hold a row.
    case row
    /// A row that cannot be understood; the reader's line is its own.
    case bad(String)
    /// There is nothing more.
    case end
}

/// Reads rows out of chunks of bytes: a pure state machine that opens nothing and waits for nothing.
protocol RowReader {
    /// The last row's fields and the text that they lie in.
    var fields: LinkFields { get }
    var text: [UInt8] { get }
    /// Names of columns or keys that nobody knows, met so far; a few at most.
    var unknownNames: [String] { get }

    /// Goes on in `chunk` at `position`, which it moves, up to `end`. Throws where reading on makes no sense.
    mutating func next(in chunk: [UInt8], from position: inout Int, to end: Int) throws(TransferError) -> RowStep

    /// To be called after the last chunk until it answers `end`.
    mutating func finish() throws(TransferError) -> RowStep
}
