// Reading and writing bytes by descriptor, with the waits and interruptions of the system kept inside.
internal import Glibc

/// A descriptor that is closed with its owner, unless it was the process's already.
final class Descriptor {
    let number: Int32
    private let isOwned: Bool

    /// Takes over a descriptor.
    init(owning number: Int32) {
        self.number = number
        isOwned = true
    }

    /// Uses one that stays its owner's.
    init(borrowing number: Int32) {
        self.number = number
        isOwned = false
    }

    deinit { if isOwned { close(number) } }

    /// Fills the buffer's beginning from the current position; bytes read, 0 at the end, nil with errno set on an error.
    func read(into buffer: inout [UInt8]) -> Int? {
        let number = number
        return unsafe buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
                if count >= 0 { return count }
                if errno != EINTR { return nil }
            }
        }
    }

    /// The same for a part of the buffer, from a place of the file.
    func read(into buffer: inout [UInt8], _ part: Range<Int>, at place: Int) -> Int? {
        let number = number
        return unsafe buffer.withUnsafeMutableBytes { bytes in
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[part])
            while true {
                let count = unsafe pread(number, target.baseAddress, target.count, place)
                if count >= 0 { return count }
                if errno != EINTR { return nil }
            }
        }
    }

    /// Writes all of it; false with errno set on an error.
    func write(_ buffer: [UInt8]) -> Bool {
        var written = 0
        let number = number
        return unsafe buffer.withUnsafeBytes { bytes in
            while written < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = unsafe Glibc.write(number, rest.baseAddress, rest.count)
                if count > 0 { written += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    /// The system's words for errno.
    static var errorText: String {
        // The text is the library's and is copied at once.
        unsafe String(cString: strerror(errno))
    }
}
