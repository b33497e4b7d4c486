// What proxies say: the PROXY protocol's header is the same however it is cut, and no word of a client changes who it is.
@testable import HTTP

func fuzzProxy(_ bytes: [UInt8]) {
    checkHeader(bytes)
    if let text = String(validating: bytes, as: UTF8.self) { checkAddress(text) }
    checkForwarded(bytes)
}

private func checkHeader(_ bytes: [UInt8]) {
    let whole = ProxyHeader(bytes.span)
    var choices = Choices(of: bytes)
    let most = min(bytes.count, ProxyHeader.limit)
    for length in Array(0..<min(most, 64)) + (0..<8).map({ _ in choices.number(upTo: most) }) {
        let part = ProxyHeader(bytes.span.extracting(0..<length))
        switch (part, whole) {
        case (.incomplete, .header(let end, _)): claim(length < end, "a whole header of \(end) bytes is not seen")
        case (.incomplete, _): break
        default: claim(part == whole, "\(length) bytes are \(part), all are \(whole)")
        }
    }
    guard case .header(let length, let client) = whole else { return }
    claim((1...ProxyHeader.limit).contains(length) && length <= bytes.count, "a header of \(length) bytes")
    guard let client else { return }
    checkCanonical(client)
    guard bytes[0] == UInt8(ascii: "P") else { return }
    // proxy-protocol.txt, section 2.1: one space between the words, and the address as the second of them.
    let words = bytes[..<(length - 2)].split(separator: 0x20, omittingEmptySubsequences: false)
    claim(words.count == 6 && bytes[length - 2] == 13 && bytes[length - 1] == 10, "a line that is none")
    claim(!bytes[..<(length - 2)].contains { $0 < 0x20 || $0 >= 0x7f }, "a line with controls in it")
}

private func checkAddress(_ text: String) {
    if let address = ClientAddress(text) { checkCanonical(address) }
    guard let network = Network(text) else { return }
    let first = text.split(separator: "/").first.map(String.init) ?? ""
    claim(text == "local" || ClientAddress(first).map(network.contains) == true, "a network is without its own address")
}

private func checkCanonical(_ address: ClientAddress) {
    claim(ClientAddress(address.text) == address, "\(address.text) is read as another address")
    claim(
        ClientAddress("::ffff:" + address.text) == (address.isIPv4 ? address : nil), "\(address.text) is mapped otherwise")
    claim(address.site.site == address.site, "a site has another site")
    claim(address.masked(128) == address, "all bits are not the address")
}

/// A trusted proxy appends the address that it saw. Whatever stands before that was the client's to write.
private func checkForwarded(_ bytes: [UInt8]) {
    guard let proxy = ClientAddress("10.0.0.1"), let network = Network("10.0.0.0/8"),
        let client = ClientAddress("192.0.2.7")
    else { return claim(false, "no addresses") }
    for (name, seen) in [("X-Forwarded-For: ", "192.0.2.7"), ("Forwarded: ", "for=192.0.2.7;proto=https")] {
        for line in [", ", "\r\n" + name] {
            let field = Array(name.utf8) + bytes + Array((line + seen + "\r\n").utf8)
            withRequest(field, from: Peer(address: proxy, isSecure: false, proxies: TrustedProxies([network]))) { request in
                // The bytes may have ended the field and begun another.
                if bytes.contains(13) { return checkCanonical(request.client) }
                claim(request.client == client, "the client made itself \(request.client.text)")
                if name == "Forwarded: " { claim(request.isSecure, "the client made itself insecure") }
            }
        }
        withRequest(Array(name.utf8) + bytes + [13, 10], from: Peer(address: client, isSecure: false, proxies: nil)) {
            request in
            claim(request.client == client && !request.isSecure, "a stranger was believed")
        }
    }
}

private func withRequest(_ field: [UInt8], from peer: Peer, _ use: (borrowing Request) -> Void) {
    let lines = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + field + [13, 10]
    guard case .head(let head) = RequestParser(limits: Limits()).parse(lines.span), head.length == lines.count else {
        return
    }
    use(unsafe Request(head: head, bytes: lines.span, body: Span(), peer: peer))
}
