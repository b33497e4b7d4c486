// The Host field and the authority of an absolute target: uri-host [ ":" port ] (RFC 9110 §7.2, RFC 3986 §3.2.2).

enum HostField {
    /// Whether the value is empty or a host with an optional port. No user information, and nothing that HTML or a log
    /// could misread.
    static func isValid(_ value: Span<UInt8>) -> Bool {
        var at = 0
        if at < value.count, value[at] == 0x5b {  // "[": an IP literal
            at += 1
            while at < value.count, value[at] != 0x5d {
                guard value[at] == .colon || ByteClass.isHost(value[at]) else { return false }
                at += 1
            }
            guard at < value.count, at > 1 else { return false }
            at += 1
        } else {
            at = ByteRun.endOfPlainHost(value, from: at)
            while at < value.count, ByteClass.isHost(value[at]) { at += 1 }
        }
        guard at < value.count else { return true }
        guard value[at] == .colon else { return false }
        at += 1
        while at < value.count, value[at].isDigit { at += 1 }
        return at == value.count
    }
}
