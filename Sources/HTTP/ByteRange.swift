// A place in a request's bytes. Kept as offsets, so that a parsed head owns no memory and outlives a move of its bytes.

/// A half-open range of byte offsets.
package struct ByteRange: Sendable, Equatable {
    package var start: Int32
    package var end: Int32

    package init(_ start: Int, _ end: Int) {
        self.start = Int32(truncatingIfNeeded: start)
        self.end = Int32(truncatingIfNeeded: end)
    }

    static let empty = ByteRange(0, 0)

    package var isEmpty: Bool { start >= end }

    var indices: Range<Int> { Int(start)..<Int(end) }
}
