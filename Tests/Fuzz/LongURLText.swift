// Long URLs: what is accepted can stand in a Location field, is accepted again as it stands, and means the same to a browser.
@testable import Shortening

private let limit = 500

func fuzzLongURL(_ bytes: [UInt8]) {
    checkPlain(bytes)
    checkLines(bytes)
    guard let text = String(validating: bytes, as: UTF8.self) else {
        claim((try? LongURL(bytes.span, limit: limit)) == nil, "what is not UTF-8 was accepted")
        return
    }
    if let kindly = try? LongURL(kindly: text, limit: limit) { checkStored(kindly) }
    do throws(LongURLError) {
        let url = try LongURL(text, limit: limit)
        checkStored(url)
        claim((try? LongURL(bytes.span, limit: limit)) == url, "bytes and text are read otherwise")
        claim((try? LongURL(kindly: text, limit: limit)) == url, "kindness changed a URL that was right")
        claim(LongURL(stored: text).standardForm == url.standardForm, "a browser takes the stored form for another URL")
    } catch {
        claim((try? LongURL(bytes.span, limit: limit)) == nil, "bytes are accepted where the text is not")
        claim(!error.message.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "a message holds a control: \(error.message)")
        if case .tooLong(_, let length) = error {
            claim((try? LongURL(text, limit: length))?.text.utf8.count == length, "the length that is told is wrong")
            claim((try? LongURL(text, limit: length - 1)) == nil, "the length that is told is too long")
        }
    }
}

private func checkStored(_ url: LongURL) {
    claim(url.text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "not printable ASCII: \(url.text.debugDescription)")
    claim(url.text.utf8.count <= limit, "too long")
    claim((try? LongURL(url.text, limit: limit)) == url, "not kept when it comes again: \(url.text)")
    guard let standard = url.standardForm else { return claim(false, "accepted, and no URL to a browser: \(url.text)") }
    claim(standard.hasPrefix("http://") || standard.hasPrefix("https://"), "another scheme: \(standard)")
    claim(standard.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "the standard form is not printable ASCII")
    claim(LongURL(stored: standard).standardForm == standard, "the standard form has another one: \(standard)")
}

/// The quick way says yes only where the long way would keep the text as it is.
private func checkPlain(_ bytes: [UInt8]) {
    guard let host = LongURL.plainHost(in: bytes.span) else { return }
    let cleaned = URLRecord.cleaned(bytes)
    claim(cleaned == bytes && URISyntax.isWellFormed(bytes), "plain, and not well formed")
    guard let record = try? URLRecord(parsing: cleaned) else { return claim(false, "plain, and refused") }
    let name = String(decoding: bytes[host], as: UTF8.self).lowercased()
    claim(Array(name.utf8) == record.host.serialized, "the plain host is not the host")
}

/// A field that holds the URL ends where it should.
private func checkLines(_ bytes: [UInt8]) {
    let url = try? LongURL((Array("http://a.example/".utf8) + bytes).span, limit: limit)
    claim(url?.text.utf8.contains { $0 == 13 || $0 == 10 || $0 == 0 } != true, "a line break got through")
}
