// Which bytes may stand where in a request. Sets of ASCII characters are two words of bits, so that a look costs a shift.

enum ByteClass {
    /// tchar (RFC 9110 §5.6.2), what method and field names are made of: letters, digits and ! # $ % & ' * + - . ^ _ ` | ~
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool { isMember(byte, 0x03ff_6cfa_0000_0000, 0x57ff_ffff_c7ff_fffe) }

    /// Allowed in Host beside brackets and colon (RFC 3986 §3.2.2): letters, digits and - . _ ~ ! $ & ' ( ) * + , ; = %
    @inline(__always)
    static func isHost(_ byte: UInt8) -> Bool { isMember(byte, 0x2bff_7ff2_0000_0000, 0x47ff_fffe_87ff_fffe) }

    /// Allowed in a request target: visible ASCII but `#`, and bytes from 0x80, which old clients send unescaped.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7f && byte != 0x23 }

    /// Allowed in a field value (RFC 9110 §5.5): visible ASCII, SP, HTAB and obs-text.
    @inline(__always)
    static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7f || byte == 0x09 }

    /// `low` has a bit for each of the characters 0 to 63, `high` for those from 64 to 127.
    @inline(__always)
    private static func isMember(_ byte: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
        byte < 0x80 && (byte < 0x40 ? low : high) >> UInt64(byte & 0x3f) & 1 != 0
    }
}
