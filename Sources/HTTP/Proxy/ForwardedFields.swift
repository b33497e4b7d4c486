// What a proxy says of its client: X-Forwarded-For, X-Forwarded-Proto and Forwarded (RFC 7239). Read only where the peer is
// trusted; the client is the right-most address that is not, since everything left of it may be made up.
//
// A proxy writes one kind of field and may pass on the other just as its client made it up, and nothing tells which. So where
// both are there, what only one of them says is not believed.

/// Chains of addresses from the fields of one request, the nearest last.
struct ForwardedFields {
    /// Text of each hop, as it was sent.
    private var hops: [String] = []
    /// The same from Forwarded; empty text for an element that names nobody.
    private var forwarded: [String] = []
    private var schemes: [String] = []
    private var forwardedSchemes: [String] = []

    init(_ request: borrowing Request) {
        request.forEachField("x-forwarded-for") { value in
            forEachListMember(Self.nearest(value)) { hops.append(Self.text($0)) }
        }
        request.forEachField("x-forwarded-proto") { value in
            forEachListMember(Self.nearest(value)) { schemes.append(Self.text($0)) }
        }
        request.forEachField("forwarded") { value in
            forEachListMember(Self.nearest(value)) { note(Self.text($0)) }
        }
    }

    /// Members of a list that are read, from its end: more proxies than that stand behind nobody, and a client can make its part of
    /// the list as long as a head may be.
    static let hopLimit = 16

    /// The end of a list with its last `hopLimit` members.
    @_lifetime(copy list)
    private static func nearest(_ list: Span<UInt8>) -> Span<UInt8> {
        var start = list.count
        var commas = 0
        while start > 0 {
            if list[start - 1] == .comma { commas += 1 }
            if commas == hopLimit { break }
            start -= 1
        }
        return list.extracting(start..<list.count)
    }

    /// A member of a list; empty, which is neither an address nor a scheme, where it is not ASCII.
    private static func text(_ member: Span<UInt8>) -> String { String(asciiIn: member) ?? "" }

    /// One forwarded-element: pairs with semicolons between them. Quoted commas do not occur in addresses and schemes.
    private mutating func note(_ element: String) {
        forwarded.append("")
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { !" \t\"".contains($0) } }
            guard parts.count == 2 else { continue }
            switch parts[0].lowercased() {
            case "for": forwarded[forwarded.count - 1] = parts[1]
            case "proto": forwardedSchemes.append(parts[1])
            default: break
            }
        }
    }

    /// The client behind a trusted peer. A hop that is no address ends the search at the proxy that reported it; so does one on
    /// which the two kinds of fields do not agree, where both are there. A local socket is never the answer where a field says
    /// that there is somebody behind it: what is allowed to programs of this machine must not be had by writing nonsense.
    func client(behind peer: ClientAddress, _ proxies: TrustedProxies) -> ClientAddress {
        let chains = [hops, forwarded].filter { !$0.isEmpty }.map { $0.suffix(Self.hopLimit).reversed().map(Self.address) }
        var client = peer
        for index in 0..<(chains.map(\.count).min() ?? 0) {
            guard proxies.contains(client), let next = chains[0][index], chains.allSatisfy({ $0[index] == next }) else {
                return client == .local ? .unnamed : client
            }
            client = next
        }
        return client
    }

    /// Whether the proxy's client came by https; nil where it does not say. The nearest proxy's word counts, and where both kinds
    /// of fields are there, both must say so.
    var isSecure: Bool? {
        let words = [schemes.last, forwardedSchemes.last].compactMap { $0 }
        return words.isEmpty ? nil : words.allSatisfy { $0.lowercased() == "https" }
    }

    /// An address with or without brackets and port.
    private static func address(_ text: String) -> ClientAddress? {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return ClientAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        if let address = ClientAddress(text) { return address }
        return text.split(separator: ":").count == 2
            ? text.split(separator: ":").first.flatMap { ClientAddress(String($0)) } : nil
    }
}
