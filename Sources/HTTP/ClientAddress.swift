// The address of a client, in one form for IPv4, IPv6 and local sockets, so that it can be compared and counted.
internal import CLinux
internal import Glibc

/// An IP address without its port; IPv4 in its mapped form (RFC 4291 §2.5.5.2).
package struct ClientAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// A client on a local socket. Its bits are those of a multicast address, which is never anybody's own (RFC 4291 §2.7), and
    /// which nothing else here becomes.
    package static let local = ClientAddress(high: .max, low: .max)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads what accept(2) filled in.
    init(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = unsafe withUnsafeBytes(of: &storage) { unsafe $0.load(as: sockaddr_in.self).sin_addr.s_addr }
            self.init(high: 0, low: 0xffff_0000_0000 | UInt64(UInt32(bigEndian: address)))
        case AF_INET6:
            // The family says which structure the kernel wrote; 16 address bytes begin at offset 8 of it.
            self = unsafe withUnsafeBytes(of: &storage) { bytes in
                let high = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                let low = unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
                return ClientAddress(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
            }
        default: self = .local
        }
    }

    /// Reads an IPv4 or IPv6 address in any usual notation (RFC 4291 §2.2); a zone behind `%` is left out, since it means
    /// something to its own host only.
    package init?(_ text: String) {
        // C takes a NUL for the text's end.
        guard !text.utf8.contains(0) else { return nil }
        var ipv4 = in_addr()
        // inet_pton(3) reads the text and writes the whole structure or nothing.
        if unsafe inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(high: 0, low: 0xffff_0000_0000 | UInt64(UInt32(bigEndian: ipv4.s_addr)))
            return
        }
        var ipv6 = [UInt8](repeating: 0, count: 16)
        let host = String(text.prefix { $0 != "%" })
        guard unsafe inet_pton(AF_INET6, host, &ipv6) == 1 else { return nil }
        self.init(ipv6: ipv6.span)
    }

    /// The address of 16 bytes in network order; nil where it stands for local sockets.
    init?(ipv6 bytes: Span<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            words.0 = words.0 << 8 | UInt64(bytes[index])
            words.1 = words.1 << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: words.0, low: words.1)
        if self == .local { return nil }
    }

    /// The address with only its first `bits` (0 to 128) bits kept.
    func masked(_ bits: Int) -> ClientAddress {
        // Shifting by all of a word's bits gives 0 in Swift.
        let (first, second) = (max(0, 64 - bits), max(0, min(64, 128 - bits)))
        return ClientAddress(high: (high >> UInt64(first)) << UInt64(first), low: (low >> UInt64(second)) << UInt64(second))
    }

    var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// What one household or server counts as: an IPv4 address itself, the first 64 bits of an IPv6 one.
    package var site: ClientAddress { isIPv4 || self == .local ? self : ClientAddress(high: high, low: 0) }

    /// In the usual notation (RFC 5952), `local` for a local socket.
    package var text: String {
        if self == .local { return "local" }
        var bytes = unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe Array($0) }
        if isIPv4 { return bytes.suffix(4).map { String($0) }.joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        // inet_ntop(3) reads 16 bytes and writes at most INET6_ADDRSTRLEN.
        unsafe inet_ntop(AF_INET6, &bytes, &text, socklen_t(INET6_ADDRSTRLEN))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
