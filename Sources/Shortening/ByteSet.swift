// Sets of ASCII characters, for the grammars of URLs. Bytes above 0x7f are never members.

/// A set of ASCII bytes. Constant time, no allocation.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    static let letters = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    static let digits = ByteSet("0123456789")
    static let controls = ByteSet((0...0x1f).map { $0 } + [0x7f])

    init(_ characters: String) { self.init(Array(characters.utf8)) }

    init(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: low >> UInt64(byte) & 1 != 0
        case 64..<128: high >> UInt64(byte - 64) & 1 != 0
        default: false
        }
    }

    func union(_ other: ByteSet) -> ByteSet {
        var both = self
        both.low |= other.low
        both.high |= other.high
        return both
    }

    func union(_ characters: String) -> ByteSet { union(ByteSet(characters)) }
}
