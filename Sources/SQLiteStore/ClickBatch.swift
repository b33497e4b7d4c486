// The packed form of many links' visits, one row of `click_batch`. Pairs of link and count, ascending by link; each number a
// variable-length integer (LEB128: seven bits a byte, the lowest first, the top bit set on all but the last), the link as
// the difference to the one before.
internal import Shortening

/// Visits packed for the store, at least one pair.
struct ClickBatch: Sendable {
    let packed: [UInt8]

    /// nil where there is nothing to pack. Several counts of one link become one. Sorts: not on an event loop.
    init?(_ clicks: [ClickCount]) {
        let sorted = clicks.sorted { $0.link.rawValue < $1.link.rawValue }
        guard !sorted.isEmpty else { return nil }
        var packed: [UInt8] = []
        packed.reserveCapacity(sorted.count * 4)
        var previous: Int64 = 0
        var index = 0
        while index < sorted.count {
            let link = sorted[index].link.rawValue
            var visits: UInt64 = 0
            while index < sorted.count, sorted[index].link.rawValue == link {
                visits += UInt64(sorted[index].visits)
                index += 1
            }
            Self.append(UInt64(bitPattern: link &- previous), to: &packed)
            Self.append(visits, to: &packed)
            previous = link
        }
        self.packed = packed
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads a packed batch from its start. Bytes that no batch has end it early instead of trapping.
struct ClickCursor {
    private let packed: [UInt8]
    private var position = 0
    /// The pair that the cursor stands on; nil behind the last.
    private(set) var current: (link: Int64, visits: Int64)?

    init(_ packed: [UInt8]) {
        self.packed = packed
        current = (0, 0)
        advance()
    }

    mutating func advance() {
        guard let previous = current?.link, let step = number(), let visits = number() else {
            current = nil
            return
        }
        current = (previous &+ Int64(bitPattern: step), Int64(clamping: visits))
    }

    private mutating func number() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while position < packed.count, shift < 64 {
            let byte = packed[position]
            position += 1
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}
