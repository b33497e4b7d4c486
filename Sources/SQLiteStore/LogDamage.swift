// Whether changes lie in the write-ahead log that nothing reaches any more. SQLite reads a log up to the first page that is not whole,
// which is right after a power cut, whose last change nobody was told of. But what is behind a page that went bad later was acknowledged,
// and would be overwritten without a word.
internal import Glibc
internal import Shortening

/// A look at a log (https://www.sqlite.org/walformat.html, 1). Opens it, which drops no lock: SQLite holds none on it.
struct LogDamage {
    /// Of changes that end behind the last page that can be read, this many tell of damage. Each is on the disk before the next begins,
    /// so a power cut can leave one.
    private static let limit = 2
    private static let (headerSize, frameHeaderSize): (Int64, Int64) = (32, 24)

    private let file: StoreFile
    private let length: LogLength

    /// `connection` has read, so that the log was looked through; one that only reads does.
    init(_ file: StoreFile, _ connection: Connection) throws(StoreError) {
        self.file = file
        length = try LogLength(connection)
    }

    /// A sentence with the next step where the log is damaged before its end; nil where it is whole, or is just being written.
    func problem() -> String? {
        let readable = length.needed
        guard let lost = changes(behind: readable), lost >= Self.limit, length.needed == readable else { return nil }
        return """
            \(file.log) is damaged at byte \(max(readable, Self.headerSize)), and changes behind that cannot be read; it was left as it is. \
            Restore a backup. Or keep a copy of both files and give those changes up: \
            `sqlite3 \(file.path) 'PRAGMA wal_checkpoint(TRUNCATE)'`.
            """
    }

    /// Changes whose last page is whole behind so many bytes, up to the limit; nil where the log cannot be read.
    private func changes(behind readable: Int64) -> Int? {
        let descriptor = unsafe open(file.log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let header = Self.words(8, of: descriptor, at: 0) else { return 0 }
        let stride = Self.frameHeaderSize + Int64(header[2])
        guard Self.isWhole(header) else {
            // Frames of whatever time there are then all that is left to go by.
            guard let first = Self.words(6, of: descriptor, at: Self.headerSize) else { return 0 }
            return Self.count(descriptor, from: Self.headerSize, every: Self.frameHeaderSize + 4_096, salt: first[2...3])
        }
        return Self.count(descriptor, from: max(readable, Self.headerSize), every: stride, salt: header[4...5])
    }

    /// Frames that end a change and belong to one round of the log, whose salt they carry.
    private static func count(
        _ descriptor: Int32, from start: Int64, every stride: Int64, salt: ArraySlice<UInt32>
    ) -> Int {
        var (position, count) = (start, 0)
        while count < limit, let frame = words(6, of: descriptor, at: position) {
            if frame[1] != 0, frame[2...3].elementsEqual(salt) { count += 1 }
            position += stride
        }
        return count
    }

    /// Whether a log's header has the sum that it should have. One that was cut while it was written has not.
    private static func isWhole(_ header: [UInt32]) -> Bool {
        guard header[0] & ~1 == 0x377f_0682, header[2].nonzeroBitCount == 1, (512...65_536).contains(header[2]) else {
            return false
        }
        let isBigEndian = header[0] & 1 == 1
        var sum: (UInt32, UInt32) = (0, 0)
        for index in stride(from: 0, to: 6, by: 2) {
            sum.0 &+= (isBigEndian ? header[index] : header[index].byteSwapped) &+ sum.1
            sum.1 &+= (isBigEndian ? header[index + 1] : header[index + 1].byteSwapped) &+ sum.0
        }
        return sum == (header[6], header[7])
    }

    /// So many big-endian words at a place of a file; nil where it ends before.
    private static func words(_ count: Int, of descriptor: Int32, at position: Int64) -> [UInt32]? {
        var words = [UInt32](repeating: 0, count: count)
        let got = unsafe words.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, Int(position)) }
        return got == count * 4 ? words.map(UInt32.init(bigEndian:)) : nil
    }
}
