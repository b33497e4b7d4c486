// A request target with its secrets taken out. Old dialects carry keys in the path and in the query, so every target that
// is to be logged or shown goes through here. In doubt it hides too much: it never decides what a request means.

/// A request target fit for a log: at most 512 bytes of it, keys, signatures and passwords replaced by `***`. Hidden are
/// what follows `/add/`, `/Squeeze.svc/`, `/Squeeze.svc/text/` and `/Reporting.svc/maps/`, the values of query names like
/// `key`, `signature`, `token`, `password` or `timestamp`, and user information in front of a host; in any letter case, and
/// also where a client percent-encoded them, once or several times.
package struct RedactedTarget: Equatable, Sendable {
    /// As sent otherwise: still to be escaped, may hold any byte.
    package let bytes: [UInt8]

    /// Redacts a target as it was sent (path and query, or the absolute form).
    package init(_ target: some Sequence<UInt8>) {
        var raw = Array(target.prefix(Self.limit + 1))
        let isCut = raw.count > Self.limit
        if isCut { raw.removeLast() }
        bytes = Redaction(raw).result + (isCut ? Array("...".utf8) : [])
    }

    /// Longer ones help nobody who reads a log.
    private static let limit = 512
}

/// The work on one target. Secrets are looked for in the decoded text and cut out of the raw one: from the first raw byte
/// that can belong to them to the next raw delimiter, so that an encoded delimiter inside a secret does not end it.
private struct Redaction {
    /// A decoded byte and the raw ones that it was written with.
    private struct Unit {
        var byte: UInt8
        let start: Int
        let end: Int
    }

    private let raw: [UInt8]
    private let units: [Unit]
    /// Ranges of `raw`, in ascending order of where they start.
    private var secrets: [Range<Int>] = []

    init(_ raw: [UInt8]) {
        self.raw = raw
        var units = raw.indices.map { Unit(byte: raw[$0], start: $0, end: $0 + 1) }
        // Until nothing changes; each round takes at least two bytes away, and nobody encodes more than a few times.
        for _ in 0..<8 {
            let decoded = Self.decode(units)
            if decoded.count == units.count { break }
            units = decoded
        }
        self.units = units
        findUserInformation()
        findPathSecrets()
        findQuerySecrets()
        secrets.sort { $0.lowerBound < $1.lowerBound }
    }

    var result: [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for secret in secrets where secret.upperBound > position {
            if secret.lowerBound >= position { result += raw[position..<secret.lowerBound] + Array("***".utf8) }
            position = secret.upperBound
        }
        return result + raw[position...]
    }

    private static func decode(_ units: [Unit]) -> [Unit] {
        var decoded: [Unit] = []
        decoded.reserveCapacity(units.count)
        var index = 0
        while index < units.count {
            if units[index].byte == UInt8(ascii: "%"), index + 2 < units.count, let high = hexValue(units[index + 1].byte),
                let low = hexValue(units[index + 2].byte)
            {
                decoded.append(Unit(byte: high << 4 | low, start: units[index].start, end: units[index + 2].end))
                index += 3
            } else {
                decoded.append(units[index])
                index += 1
            }
        }
        return decoded
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Hides from the decoded byte at `index` to the next raw byte in `delimiters`.
    private mutating func hide(from index: Int, to delimiters: [UInt8]) {
        guard index < units.count else { return }
        let start = units[index].start
        let end = raw[start...].firstIndex { delimiters.contains($0) } ?? raw.endIndex
        if end > start { secrets.append(start..<end) }
    }

    /// `scheme://user:password@host`: all between the slashes and the last `@` of the authority (RFC 3986 §3.2.1), in the
    /// absolute form and in every URL that stands in a query; and in the authority form, which has no scheme.
    private mutating func findUserInformation() {
        var start = 0
        for index in units.indices {
            let byte = units[index].byte
            if byte == UInt8(ascii: "@"), index > start, !isPath(from: start) {
                secrets.append(units[start].start..<units[index].start)
            }
            if isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { start = index + 1 }
        }
    }

    /// Whether the part that begins at `start` is in no place where an authority could stand: after one slash alone.
    private func isPath(from start: Int) -> Bool {
        if start == 0 { return false }
        return start == 1 || !isSlash(units[start - 2].byte) || !isSlash(units[start - 1].byte)
    }

    /// What stands behind the names of the routes that take a key in their path. A key may hold `&` and `;` there.
    private mutating func findPathSecrets() {
        // What the next part may be without being the secret, and the raw bytes that end it; nil where none is expected.
        var expected: (harmless: String, delimiters: [UInt8])?
        var start = 0
        while start < units.count {
            let end = units[start...].firstIndex { isSeparator($0.byte) } ?? units.count
            let part = lowercased(start..<end)
            switch part {
            // RFC 3986 §5.2.4 takes dot segments out, so the key may come after them.
            case "", ".", "..", expected?.harmless: break
            case _ where expected != nil:
                hide(from: start, to: expected?.delimiters ?? [])
                expected = nil
            case "add": expected = ("", Array("/?".utf8))
            case "squeeze.svc": expected = ("text", Array("?".utf8))
            case "reporting.svc": expected = ("maps", Array("?".utf8))
            default: break
            }
            start = end + 1
        }
    }

    /// Values whose name says that they are secret, wherever a name can begin: a long URL in a query has a query too.
    private mutating func findQuerySecrets() {
        var start = 0
        for index in units.indices {
            let byte = units[index].byte
            if byte == UInt8(ascii: "="), isSecretName(start..<index) {
                hide(from: index + 1, to: Array("&".utf8))
                start = index + 1
            } else if isSeparator(byte) {
                start = index + 1
            }
        }
    }

    /// Compared by letters and digits alone: `api_key`, `API-Key`, ` apikey` and `apikey[]` are one name.
    private func isSecretName(_ range: Range<Int>) -> Bool {
        let name = lowercased(range).utf8.filter { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let endings = ["key", "signature", "token", "password", "secret", "passwd", "credential", "authorization"]
        let wholes = ["timestamp", "pass", "pwd", "pw", "auth", "sig"]
        return wholes.contains { Array($0.utf8) == name }
            || endings.contains { name.reversed().starts(with: $0.utf8.reversed()) }
    }

    private func lowercased(_ range: Range<Int>) -> String {
        String(decoding: units[range].map { (0x41...0x5A).contains($0.byte) ? $0.byte | 0x20 : $0.byte }, as: UTF8.self)
    }

    private func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private func isSeparator(_ byte: UInt8) -> Bool { isSlash(byte) || "?&;#".utf8.contains(byte) }
}
