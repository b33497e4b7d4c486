// Lines of standard input, as soon as each has come. Bytes, not characters: what is no UTF-8 must be told, not mended into
// another URL.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

struct LineReader {
    enum Line: Equatable {
        case text(String)
        case notUTF8
        case tooLong
    }

    /// In bytes; longer than any URL that a server would take.
    static let longest = 65_536

    private var buffer: [UInt8] = []
    private var isSkipping = false
    private var isAtEnd = false

    /// The next line without its line end, or nil at the end. Waits for input.
    ///
    /// Throws the number of the system's error.
    mutating func next() throws(ReadFailure) -> Line? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[..<end]
                defer { buffer.removeFirst(end + 1) }
                if isSkipping {
                    isSkipping = false
                    continue
                }
                return Self.line(line)
            }
            if isSkipping { buffer.removeAll(keepingCapacity: true) }
            if buffer.count > Self.longest {
                isSkipping = true
                return .tooLong
            }
            if isAtEnd {
                defer { buffer = [] }
                return buffer.isEmpty ? nil : Self.line(buffer[...])
            }
            try fill()
        }
    }

    private mutating func fill() throws(ReadFailure) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // Unsafe: the system writes into the array's storage, at most as many bytes as it has.
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { return }
        guard count >= 0 else { throw ReadFailure(code: errno) }
        isAtEnd = count == 0
        buffer += chunk[..<count]
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> Line {
        guard bytes.count <= longest else { return .tooLong }
        return String(validating: bytes, as: UTF8.self).map(Line.text) ?? .notUTF8
    }
}

/// Standard input cannot be read.
struct ReadFailure: Error {
    /// `errno`, as read(2) left it.
    let code: Int32
}
