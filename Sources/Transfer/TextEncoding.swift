// A look at an input's first bytes, for files that are no UTF-8 text at all. They get a plain word instead of a thousand
// complaints about rows.

enum TextEncoding {
    /// Bytes that are looked at.
    private static let lookLength = 4

    /// How many bytes at the beginning are a mark and no text. Throws what the input is where it cannot be UTF-8. `bytes` are
    /// the input's first line or more; `format` is what they should be.
    static func markLength(_ bytes: Span<UInt8>, of format: TransferFormat) throws(TransferError) -> Int {
        let head = (0..<min(bytes.count, lookLength)).map { bytes[$0] }
        if head.starts(with: [0xef, 0xbb, 0xbf]) { return 3 }
        if head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff]) || head.contains(0) {
            throw .input("The input is UTF-16 or UTF-32 text, or no text at all; save it as UTF-8 and try again.")
        }
        if head.starts(with: [0x1f, 0x8b]) {
            throw .input(
                "The input is compressed with gzip; unpack it first, for instance with "
                    + "`gunzip -c FILE | shorty import --format \(format.rawValue) -`.")
        }
        if head.starts(with: [0x50, 0x4b, 0x03, 0x04]) {
            throw .input("The input is a ZIP archive or a spreadsheet's own file; save it as CSV (UTF-8) and try again.")
        }
        return 0
    }
}
