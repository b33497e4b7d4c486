// The Date line of all answers of one second.
internal import Glibc

/// A Date field line with its CRLF (RFC 9110 §6.6.1).
struct DateField: ~Copyable {
    /// Seconds since 1970.
    private(set) var second: Int64 = -1
    private(set) var line: [UInt8] = []

    init() { refresh() }

    /// Makes the line anew if the second has changed.
    mutating func refresh() {
        var current = time_t(0)
        unsafe time(&current)
        guard Int64(current) != second else { return }
        second = Int64(current)
        line = Array("Date: ".utf8) + httpDate(second) + Array("\r\n".utf8)
    }
}
