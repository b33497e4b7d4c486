// The secret half of an API key: made here or chosen by its owner, shown once, kept nowhere. Only its digest is stored.

/// Why a text cannot be a key's secret.
package enum KeySecretError: Error, Equatable, Sendable {
    case empty
    /// Longer than the limit, in bytes.
    case tooLong(limit: Int)
    /// The first character that may not stand in a path (RFC 3986, section 3.3); `%` is one of them.
    case character(Unicode.Scalar)
    /// `.` and `..` never arrive as a part of a path.
    case shape
}

/// A secret that every dialect can carry, in a path too.
package struct KeySecret: Sendable {
    /// Bytes of a secret at most.
    package static let limit = 256

    /// What its owner sends; ASCII.
    package let text: String

    /// A new secret of 128 random bits as 32 lower-case hexadecimal digits, the one form that all dialects know.
    package static func generate() -> KeySecret {
        let digits = Array("0123456789abcdef".utf8)
        let text = RandomBytes.make(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return KeySecret(checked: String(decoding: text, as: UTF8.self))
    }

    /// A secret that its owner chose: 1 to 256 characters that may stand in a path as they are.
    package init(chosen text: String) throws(KeySecretError) {
        if text.isEmpty { throw .empty }
        if text.utf8.count > Self.limit { throw .tooLong(limit: Self.limit) }
        if let scalar = text.unicodeScalars.first(where: { !Self.isLegal($0) }) { throw .character(scalar) }
        if text == "." || text == ".." { throw .shape }
        self.text = text
    }

    private init(checked text: String) { self.text = text }

    /// Whether it is 32 hexadecimal digits, the form that X.co's clients know.
    package var isAccountKey: Bool { Self.isAccountKey(Array(text.utf8)) }

    /// What the store keeps of it.
    package var digest: SHA256Digest { Self.digest(ofPresented: Array(text.utf8)) }

    /// The digest that a secret sent by a client has. 32 hexadecimal digits are read without case, as old clients write
    /// them in either; all else is taken exactly.
    package static func digest(ofPresented secret: [UInt8]) -> SHA256Digest {
        SHA256Digest(of: isAccountKey(secret) ? secret.map { $0 | 0x20 } : secret)  // 0x20 lowers letters, keeps digits
    }

    private static func isAccountKey(_ secret: [UInt8]) -> Bool { secret.count == 32 && secret.allSatisfy(isHexadecimal) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// pchar of RFC 3986, section 3.3, without percent-encoding.
    private static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
        case "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=", ":", "@": true
        default: false
        }
    }
}
