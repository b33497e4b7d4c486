// Which bytes may stand where in a request, as one table look-up a byte.

enum ByteClass {
    /// tchar (RFC 9110 §5.6.2): what method and field names are made of.
    static let token: UInt8 = 1
    /// Allowed in a request target: visible ASCII but `#`, and bytes from 0x80, which old clients send unescaped.
    static let target: UInt8 = 2
    /// Allowed in a field value (RFC 9110 §5.5): visible ASCII, SP, HTAB, obs-text.
    static let value: UInt8 = 4
    /// Allowed in Host beside brackets and colon: RFC 3986 unreserved, sub-delims and `%`.
    static let host: UInt8 = 8

    static func isA(_ mask: UInt8, _ byte: UInt8) -> Bool { table[Int(byte)] & mask != 0 }

    private static let table: InlineArray<256, UInt8> = InlineArray { index in
        let byte = UInt8(index)
        let isAlphanumeric = byte.lowercased &- 0x61 < 26 || byte &- 0x30 < 10
        var classes: UInt8 = 0
        if isAlphanumeric || contains("!#$%&'*+-.^_`|~", byte) { classes |= token }
        if byte > 0x20 && byte != 0x7f && byte != 0x23 { classes |= target }
        if byte == 0x09 || byte >= 0x20 && byte != 0x7f { classes |= value }
        if isAlphanumeric || contains("-._~!$&'()*+,;=%", byte) { classes |= host }
        return classes
    }

    private static func contains(_ text: StaticString, _ byte: UInt8) -> Bool {
        // The pointer is valid for the life of the program, and read only below its length.
        let start = unsafe text.utf8Start
        for index in 0..<text.utf8CodeUnitCount where unsafe start[index] == byte { return true }
        return false
    }
}
