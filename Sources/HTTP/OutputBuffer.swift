// Bytes on their way to a socket. Each loop has one that it uses for every connection in turn; what a socket does not take
// at once moves to the connection. It must not send anything itself.
internal import Glibc

/// A growing run of bytes in memory of its own, so that writing an answer is copying and nothing else.
@safe package struct OutputBuffer: ~Copyable {
    // Invariant: `count` bytes at `start` are written, and `capacity` are allocated.
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    }

    deinit { unsafe start.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// What was written so far. Valid until the next change.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self) get {
            let elements = unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
            return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// Empties it, and gives memory back that only a rare large answer needed.
    mutating func removeAll() {
        count = 0
        guard capacity > Self.kept else { return }
        unsafe start.deallocate()
        capacity = Self.kept
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    }

    /// Bytes that a buffer keeps allocated at most.
    private static let kept = 128 * 1024

    @inline(__always)
    private mutating func append(_ source: UnsafeRawPointer, _ length: Int) {
        if count + length > capacity { grow(by: length) }
        unsafe memcpy(start + count, source, length)
        count += length
    }

    private mutating func grow(by length: Int) {
        let larger = max(capacity * 2, count + length)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        unsafe memcpy(moved, start, count)
        unsafe start.deallocate()
        unsafe start = moved
        capacity = larger
    }

    // The pointers below are valid for the life of the program, or for the call.

    mutating func append(_ text: StaticString) { unsafe append(text.utf8Start, text.utf8CodeUnitCount) }

    mutating func append(_ span: Span<UInt8>) {
        unsafe span.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress { unsafe append(source, bytes.count) }
        }
    }

    mutating func append(_ other: borrowing OutputBuffer) {
        unsafe append(unsafe UnsafeRawPointer(other.start), other.count)
    }

    mutating func append(_ array: [UInt8]) { append(array.span) }

    mutating func append(decimal number: Int) { append(text: String(number)) }

    mutating func append(hexadecimal number: Int) { append(text: String(number, radix: 16)) }

    mutating func append(text: String) { append(text.utf8Span.span) }

    /// A field value without the bytes that could end its line: they become spaces (RFC 9110 §5.5).
    mutating func append(fieldValue text: String) {
        let ends: (UInt8) -> Bool = { $0 == .carriageReturn || $0 == .lineFeed || $0 == 0 }
        if text.utf8.contains(where: ends) {
            append(text.utf8.map { ends($0) ? .space : $0 })
        } else {
            append(text: text)
        }
    }
}
