// Percent-encoding and forms: decoding never makes more of what came, and what was encoded comes out again.
@testable import HTTP
@testable import Web

func fuzzForm(_ bytes: [UInt8]) {
    let decoded = decodePercentBytes(bytes.span)
    claim(decoded.count <= bytes.count, "decoding made it longer")
    claim(decodePercentBytes(escaped(decoded).span) == decoded, "what was escaped came out otherwise")
    claim(decodePercentBytes(escaped(bytes).span, plusIsSpace: true) == bytes, "what was escaped came out otherwise")
    claim(Array(decodePercent(escaped(bytes).span).utf8) == Array(String(decoding: bytes, as: UTF8.self).utf8), "as text")

    let path = normalizedPath(bytes.span)
    claim(normalizedPath(path.span) == path, "a normal path has another normal form")
    claim(decodePercentBytes(path.span) == decoded, "the normal path means something else")

    checkPairs(bytes)
    checkURL(bytes)
}

/// Every byte as a triplet, in either letter case.
private func escaped(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF0123456789abcdef".utf8)
    return bytes.flatMap { byte in
        let shift = Int(byte & 1) << 4
        return [UInt8(ascii: "%"), digits[Int(byte >> 4) | shift], digits[Int(byte & 15) | shift]]
    }
}

private func checkPairs(_ bytes: [UInt8]) {
    // As a query that came, read strictly and leniently.
    let strict = try? Parameters(query: bytes.span)
    let lenient = Parameters(readableIn: bytes.span)
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
        let name = decodePercentBytes(Array(pair.prefix { $0 != UInt8(ascii: "=") }).span, plusIsSpace: true)
        guard let strict, let name = String(validating: name, as: UTF8.self) else { continue }
        claim(strict[name] != nil && strict[name] == lenient[name], "a name that came is not found")
    }
    // As a value that somebody sends, under a name that somebody sends.
    let half = bytes.count / 2
    guard let name = String(validating: bytes[..<half], as: UTF8.self),
        let value = String(validating: bytes[half...], as: UTF8.self)
    else { return }
    let form = escaped(Array(name.utf8)) + [UInt8(ascii: "=")] + escaped(Array(value.utf8))
    let filler = Array("&x=y&".utf8)
    let read = try? Parameters(query: (form + filler).span)
    claim(name == "x" || read?[name] == .text(value), "a form's value came out otherwise")
    checkJSON(name, value)
    checkContent(bytes)
}

private func checkJSON(_ name: String, _ value: String) {
    // JSON text with a NUL in it is refused as such, but not one with an escaped NUL.
    let json = Array("{ \(jsonText(name)): \(jsonText(value)) , \(jsonText(name)): null }".utf8)
    withRequest(json, type: "application/json") { request in
        claim((try? Parameters(request))?[name] == .text(value), "a JSON text came out otherwise")
    }
}

private func checkContent(_ bytes: [UInt8]) {
    for type in ["application/json", "application/x-www-form-urlencoded"] {
        withRequest(bytes, type: type) { request in
            do throws(ParameterFault) {
                let parameters = try Parameters(request)
                for name in ["url", "keyword", "title"] {
                    if let line = try? parameters.line(name) { claim(!line.utf8.contains(0), "a line holds a NUL") }
                }
            } catch {
                claim(!error.message.isEmpty, "a fault without a reason")
            }
        }
    }
}

private func withRequest(_ body: [UInt8], type: String, _ use: (borrowing Request) -> Void) {
    let lines = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\n\r\n".utf8)
    guard case .head(let head) = RequestParser(limits: Limits()).parse(lines.span) else { return }
    let peer = Peer(address: .local, isSecure: false, proxies: nil)
    defer { withExtendedLifetime(peer) {} }
    use(unsafe Request(head: head, bytes: lines.span, body: body.span, peer: peer))
}

/// The old way to hand over a long URL.
private func checkURL(_ bytes: [UInt8]) {
    let query = Array("url=".utf8) + bytes
    guard let url = URLParameter.value(in: query.span) else { return claim(false, "a url= is not seen") }
    claim(url.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a URL holds what no URL may")
    claim(url.utf8.count <= 3 * bytes.count, "a URL is longer than escaping can make it")
    claim(
        URLParameter.value(in: (Array("a=b&".utf8) + query).span) == url,
        "a url= behind another parameter is read otherwise")
}
