// Where a URL's connection goes: a domain or an address (url.spec.whatwg.org, «host parser»). http and https always have one;
// the opaque hosts of other schemes are not known here.

enum Host {
    /// Lower-case ASCII, no forbidden character, never empty.
    case domain([UInt8])
    case ipv4(UInt32)
    /// Eight pieces.
    case ipv6([UInt16])

    /// What no domain may hold: the forbidden domain code points.
    private static let forbidden = ByteSet.controls.union(" #/:<>?@[\\]^|%")

    /// Reads the text between the userinfo and the port; nil where the standard refuses it.
    init?(_ text: ArraySlice<UInt8>) {
        if text.first == UInt8(ascii: "[") {
            guard text.count >= 2, text.last == UInt8(ascii: "]"), let pieces = IPv6Host.parse(text.dropFirst().dropLast())
            else { return nil }
            self = .ipv6(pieces)
            return
        }
        guard let domain = DomainToASCII.convert(PercentEncoding.decode(text)), !domain.isEmpty,
            domain.allSatisfy({ $0 < 0x80 && !Self.forbidden.contains($0) })
        else { return nil }
        if IPv4Host.isMeant(by: domain) {
            guard let address = IPv4Host.parse(domain) else { return nil }
            self = .ipv4(address)
        } else {
            self = .domain(domain)
        }
    }

    /// The host as the standard writes it; an IPv6 address with its brackets.
    var serialized: [UInt8] {
        switch self {
        case .domain(let domain): domain
        case .ipv4(let address): IPv4Host.serialize(address)
        case .ipv6(let pieces): IPv6Host.serialize(pieces)
        }
    }
}
