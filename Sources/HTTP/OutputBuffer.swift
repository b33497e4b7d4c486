// Bytes on their way to a socket. Each loop has one that it uses for every connection in turn; what a socket does not take
// at once moves to the connection. It must not send anything itself.

/// A growing run of bytes.
package struct OutputBuffer {
    private(set) var bytes: [UInt8]

    init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    var count: Int { bytes.count }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ text: StaticString) {
        // The pointer is valid for the life of the program.
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ span: Span<UInt8>) {
        // The buffer is read during the call only.
        unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(_ array: [UInt8]) { bytes.append(contentsOf: array) }

    mutating func append(decimal number: Int) { append(text: String(number)) }

    mutating func append(hexadecimal number: Int) { append(text: String(number, radix: 16)) }

    mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

    /// A field value without the bytes that could end its line: they become spaces (RFC 9110 §5.5).
    mutating func append(fieldValue text: String) {
        for byte in text.utf8 { bytes.append(byte == .carriageReturn || byte == .lineFeed || byte == 0 ? .space : byte) }
    }
}
