// The host names that certificates are for, and which certificate a name asks for. It must not know OpenSSL.

/// Names as certificates have them: `s.example`, or `*.s.example` for one more label (RFC 9525 §6.3).
struct HostNames: Sendable {
    private var places: [String: Int] = [:]

    /// Adds the name for the certificate at `place`; of two certificates with one name the first has it.
    mutating func add(_ name: String, place: Int) {
        let name = Self.folded(name)
        if places[name] == nil { places[name] = place }
    }

    /// The certificate for a host, by its own name before one with a star; nil where there is none.
    subscript(host: String) -> Int? {
        let host = Self.folded(host)
        if let place = places[host] { return place }
        guard let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return places["*" + host[dot...]]
    }

    /// In small letters, and without the dot of a name written in full.
    private static func folded(_ name: String) -> String {
        var bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
