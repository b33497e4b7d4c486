// The grammar of chunk extensions (RFC 9112 §7.1.1). Nobody uses them; they are read because whoever skips over them is
// told one thing by the bytes and a proxy that does not skip another.
//
//   chunk-ext = *( ";" name [ "=" ( token / quoted-string ) ] )      without white space, which is only for bad senders

struct ChunkExtension: Sendable {
    private enum State { case nameStart, name, valueStart, token, quoted, escaped, closed }

    private var state = State.nameStart

    /// Reads one byte after the first `;`. Returns true when it is the CR that may end the extensions; false while they go
    /// on; nil where the grammar does not allow it.
    mutating func take(_ byte: UInt8) -> Bool? {
        switch state {
        case .nameStart: return enter(.name, when: ByteClass.isToken(byte))
        case .name where byte == UInt8(ascii: "="): return enter(.valueStart, when: true)
        case .name, .token: return ByteClass.isToken(byte) ? false : separator(byte)
        case .valueStart where byte == UInt8(ascii: "\""): return enter(.quoted, when: true)
        case .valueStart: return enter(.token, when: ByteClass.isToken(byte))
        case .quoted where byte == UInt8(ascii: "\""): return enter(.closed, when: true)
        case .quoted where byte == UInt8(ascii: "\\"): return enter(.escaped, when: true)
        case .quoted, .escaped: return enter(.quoted, when: ByteClass.isValue(byte))
        case .closed: return separator(byte)
        }
    }

    private mutating func enter(_ next: State, when isAllowed: Bool) -> Bool? {
        state = next
        return isAllowed ? false : nil
    }

    private mutating func separator(_ byte: UInt8) -> Bool? {
        if byte == .carriageReturn { return true }
        return enter(.nameStart, when: byte == .semicolon)
    }
}
