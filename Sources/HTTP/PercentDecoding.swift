// Percent-encoding, read once (RFC 3986 §2.1, §2.4). An invalid triplet is left as it stands.

/// The bytes with every valid `%XX` decoded, as UTF-8 text; what is not UTF-8 becomes U+FFFD.
package func decodePercent(_ bytes: Span<UInt8>) -> String { String(decoding: decodePercentBytes(bytes), as: UTF8.self) }

/// The bytes with every valid `%XX` decoded, and `+` read as a space where it is a form's.
package func decodePercentBytes(_ bytes: Span<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
        if let byte = percentTriplet(bytes, at) {
            decoded.append(byte)
            at += 3
        } else {
            decoded.append(plusIsSpace && bytes[at] == UInt8(ascii: "+") ? .space : bytes[at])
            at += 1
        }
    }
    return decoded
}

/// A path in the form in which it is matched: triplets of unreserved characters decoded, since both spellings are the same
/// path (RFC 3986 §6.2.2.2); all others kept, and a `%` that begins no triplet written as one, so that what is put together
/// here is never decoded a second time.
package func normalizedPath(_ path: Span<UInt8>) -> [UInt8] {
    var normalized: [UInt8] = []
    var at = 0
    while at < path.count {
        if let byte = percentTriplet(path, at) {
            if isUnreserved(byte) {
                normalized.append(byte)
            } else {
                normalized += [path[at], path[at + 1], path[at + 2]]
            }
            at += 3
        } else {
            normalized.append(path[at])
            if path[at] == UInt8(ascii: "%") { normalized += [UInt8(ascii: "2"), UInt8(ascii: "5")] }
            at += 1
        }
    }
    return normalized
}

private func percentTriplet(_ bytes: Span<UInt8>, _ at: Int) -> UInt8? {
    guard bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count, let high = bytes[at + 1].hexDigit,
        let low = bytes[at + 2].hexDigit
    else { return nil }
    return UInt8(high << 4 | low)
}

private func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.lowercased &- 0x61 < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
}
