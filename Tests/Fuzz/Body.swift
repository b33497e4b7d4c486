// Content: however the network cuts it, the same is unpacked, never more than the limit; and what was packed comes out again.
import Packing

@testable import HTTP

/// What taking content came to. `taken` counts packed bytes.
private enum Outcome: Equatable {
    case whole([UInt8], taken: Int)
    case unfinished
    case fault(Status)

    var isFault: Bool { if case .fault = self { true } else { false } }
}

private let limit = 1000

func fuzzBody(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    let chunked = "Transfer-Encoding: chunked\r\n"
    let length = "Content-Length: \(bytes.count)\r\n"
    var choices = Choices(of: bytes)
    for framing in [chunked, length] {
        for coding in ["", "Content-Encoding: gzip\r\n"] {
            guard let whole = take(bytes, [bytes.count], framing + coding) else { continue }
            for size in [bytes.count < 256 ? 1 : 16, 7, 64] {
                let cut = take(bytes, choices.cuts(of: bytes.count, upTo: size), framing + coding)
                // Two faults may be told in either order: the framing's is seen first in large pieces, the coding's in small ones.
                if cut?.isFault == true, whole.isFault, !coding.isEmpty { continue }
                claim(cut == whole, "in pieces of up to \(size) bytes: \(String(describing: cut)), at once: \(whole)")
            }
        }
    }
    roundTrip(bytes, &choices)
}

/// Takes the bytes in pieces, as a connection does; nil where the head refuses them.
private func take(_ bytes: [UInt8], _ cuts: [Int], _ fields: String) -> Outcome? {
    let lines = Array("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
    guard case .head(let head) = RequestParser(limits: Limits()).parse(lines.span) else { return nil }
    var limits = Limits()
    (limits.chunkExtensions, limits.headerBlock) = (64, 128)
    let peer = Peer(address: .local, isSecure: false, proxies: nil)
    do throws(RequestFault) {
        defer { withExtendedLifetime(peer) {} }
        let request = unsafe Request(head: head, bytes: lines.span, body: Span(), peer: peer)
        let plan = try BodyPlan(request, policy: .gather, limit: limit)
        let upload = Upload(
            head: head, lines: lines.span, plan: plan, limits: limits, heldContent: HeldContent(limits), startedAt: 0)
        var at = 0
        for end in cuts {
            let isWhole = try upload.take(bytes.span.extracting(0..<end), &at)
            claim(at <= end, "more was taken than there is")
            guard isWhole else {
                claim(at == end, "content goes on, and bytes of it were left")
                continue
            }
            var content: [UInt8] = []
            upload.withRequest(from: peer) { content = $0.body.bytes }
            claim(content.count <= limit, "\(content.count) bytes came out")
            return .whole(content, taken: at)
        }
        return .unfinished
    } catch {
        return .fault(error.status)
    }
}

/// The bytes as a client's content, in chunks, packed or not.
private func roundTrip(_ bytes: [UInt8], _ choices: inout Choices) {
    for (coding, packed) in [("", bytes), ("Content-Encoding: gzip\r\n", gzip(bytes, leastMemory: true))] {
        var chunked: [UInt8] = []
        var start = 0
        for end in choices.cuts(of: packed.count, upTo: 100) {
            chunked += Array((String(end - start, radix: 16) + "\r\n").utf8) + packed[start..<end] + [13, 10]
            start = end
        }
        chunked += Array("0\r\n\r\n".utf8)
        let sent = chunked + Array("GET".utf8)
        let outcome = take(sent, [sent.count], "Transfer-Encoding: chunked\r\n" + coding)
        if bytes.count <= limit {
            claim(
                outcome == .whole(bytes, taken: chunked.count), "\(bytes.count) bytes became \(String(describing: outcome))"
            )
        } else {
            claim(
                outcome == .fault(.contentTooLarge), "\(bytes.count) bytes are too many, yet \(String(describing: outcome))"
            )
        }
    }
}
