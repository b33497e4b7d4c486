// The request methods that the server knows by name. Method tokens are case-sensitive (RFC 9110 §9.1).

/// A request method (RFC 9110 §9.3, RFC 5789).
package enum Method: UInt8, Sendable {
    case get, head, post, put, patch, delete, options, trace, connect
    /// Any other token; answered with 501.
    case other

    /// The method that these bytes name exactly.
    init(_ token: Span<UInt8>) {
        self = Self.named.first { matches(token, $0.token) }?.method ?? .other
    }

    /// As it stands in a request line and in `Allow`.
    package var name: String {
        Self.named.first { $0.method == self }.map { String(describing: $0.token) } ?? "OTHER"
    }

    private static let named: [(method: Method, token: StaticString)] = [
        (.get, "GET"), (.head, "HEAD"), (.post, "POST"), (.put, "PUT"), (.patch, "PATCH"), (.delete, "DELETE"),
        (.options, "OPTIONS"), (.trace, "TRACE"), (.connect, "CONNECT"),
    ]
}

/// Whether the bytes are exactly the text.
func matches(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    // The pointer is valid for the life of the program, and read only below its length.
    let start = unsafe text.utf8Start
    for index in 0..<bytes.count where unsafe bytes[index] != start[index] { return false }
    return true
}

/// Whether the bytes are the text in any letter case; the text must be given in lower case.
package func matchesIgnoringCase(_ bytes: Span<UInt8>, _ lowercase: StaticString) -> Bool {
    guard bytes.count == lowercase.utf8CodeUnitCount else { return false }
    // As above; a word's eight bytes are all below the length.
    let start = unsafe UnsafeRawPointer(lowercase.utf8Start)
    var at = 0
    while at + 8 <= bytes.count {
        let wanted = unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        guard ByteRun.lowercased(bytes.word(at: at)) == wanted else { return false }
        at += 8
    }
    while at < bytes.count {
        guard unsafe bytes[at].lowercased == start.load(fromByteOffset: at, as: UInt8.self) else { return false }
        at += 1
    }
    return true
}

extension UInt8 {
    /// ASCII letters in lower case; every other byte as it is.
    package var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
