// Request heads: however the network cuts the bytes, the same head is read, and it lies inside what was sent.
@testable import HTTP

/// What parsing came to, in a form that can be compared.
private enum Outcome: Equatable {
    case incomplete
    case head(Int, HTTP.Method, BodyFraming, [ByteRange])
    case fault(Status)

    init(_ bytes: Span<UInt8>, _ limits: Limits) {
        switch RequestParser(limits: limits).parse(bytes) {
        case .incomplete: self = .incomplete
        case .fault(let fault, _): self = .fault(fault.status)
        case .head(let head):
            self = .head(head.length, head.method, head.framing, [head.target, head.path, head.query, head.fields])
        }
    }
}

func fuzzRequestHead(_ bytes: [UInt8]) {
    tryHead(bytes, Limits())
    var tight = Limits()
    (tight.requestLine, tight.headerBlock, tight.headerFields) = (64, 128, 4)
    tryHead(bytes, tight)
    checkRuns(bytes.span)
}

/// The quick way over many bytes ends where a look at each would, or earlier where it may.
private func checkRuns(_ bytes: Span<UInt8>) {
    for start in 0..<min(bytes.count, 9) {
        let rest = start..<bytes.count
        let value = rest.first { !ByteClass.isValue(bytes[$0]) } ?? bytes.count
        claim(ByteRun.endOfValue(bytes, from: start) == value, "a value ends at \(value)")
        let target = rest.first { !ByteClass.isTarget(bytes[$0]) || "?%".utf8.contains(bytes[$0]) } ?? bytes.count
        claim(ByteRun.endOfPlainTarget(bytes, from: start) == target, "a target ends at \(target)")
        let name = rest.first { !ByteClass.isToken(bytes[$0]) } ?? bytes.count
        claim((start...name).contains(ByteRun.endOfPlainName(bytes, from: start)), "a name ends at \(name)")
        let host = rest.first { !ByteClass.isHost(bytes[$0]) } ?? bytes.count
        claim((start...host).contains(ByteRun.endOfPlainHost(bytes, from: start)), "a host ends at \(host)")
    }
    for start in stride(from: 0, through: bytes.count - 8, by: 8) {
        let word = ByteRun.lowercased(bytes.word(at: start))
        for index in 0..<8 {
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
            claim(byte == bytes[start + index].lowercased, "\(bytes[start + index]) became \(byte)")
        }
    }
}

private func tryHead(_ bytes: [UInt8], _ limits: Limits) {
    let whole = Outcome(bytes.span, limits)
    var choices = Choices(of: bytes)
    var lengths = (0..<4).map { _ in choices.number(upTo: bytes.count) }
    if case .head(let length, _, _, _) = whole { lengths += [length - 1, length] }
    for length in lengths {
        let part = Outcome(bytes.span.extracting(0..<length), limits)
        switch (part, whole) {
        // More bytes may make a head of it, or show what is wrong.
        case (.incomplete, .head(let end, _, _, _)): claim(length < end, "a whole head of \(end) bytes is not seen")
        case (.incomplete, _): break
        // What is wrong stays wrong; a limit and a bad byte behind it are two faults, of which the first to come is told.
        case (.fault, .fault): break
        default: claim(part == whole, "\(length) bytes are \(part), all are \(whole)")
        }
    }
    if case .head(let head) = RequestParser(limits: limits).parse(bytes.span) { check(head, bytes, limits) }
}

private func check(_ head: RequestHead, _ bytes: [UInt8], _ limits: Limits) {
    claim(head.length <= bytes.count, "the head ends behind the bytes")
    for (inner, outer) in [(head.path, head.target), (head.query, head.target)] where !inner.isEmpty {
        claim(inner.start >= outer.start && inner.end <= outer.end, "a part of the target lies outside of it")
    }
    let target = bytes[head.target.indices]
    claim(!target.isEmpty && target.allSatisfy { $0 > 0x20 && $0 != 0x7f }, "the target holds a blank or a control")
    claim(target.count <= limits.requestLine, "the target is longer than a line may be")
    claim(head.fields.indices.count <= limits.headerBlock, "the fields are more than they may be")
    claim(head.length - Int(head.fields.end) == 2, "an empty line ends the head")
    if head.framing == .chunked { claim(!head.isHTTP10, "HTTP/1.0 has no chunks") }
    if case .length(let length) = head.framing { claim(length >= 0, "a length is negative") }
    checkFields(bytes.span.extracting(head.fields.indices), limits)

    let peer = Peer(address: .local, isSecure: false, proxies: nil)
    defer { withExtendedLifetime(peer) {} }
    let request = unsafe Request(head: head, bytes: bytes.span, body: Span(), peer: peer)
    for limit in [0, 1000] {
        guard let plan = try? BodyPlan(request, policy: .gather, limit: limit) else { continue }
        claim(plan.limit <= limit, "more content is planned for than allowed")
    }
    claim(!normalizedPath(request.path).contains(0x20), "a blank got into the path")
}

/// Every line of an accepted block is one, and no value can begin another.
private func checkFields(_ fields: Span<UInt8>, _ limits: Limits) {
    var (at, count) = (0, 0)
    while at < fields.count {
        guard let line = try? FieldLine(fields, from: at) else { return claim(false, "a field line is not one any more") }
        claim(line.end > at && line.end <= fields.count, "a field line ends outside of the fields")
        let value = fields.extracting(line.value.indices)
        for index in value.indices {
            claim(value[index] >= 0x20 && value[index] != 0x7f || value[index] == 0x09, "a value holds a control")
        }
        forEachListMember(value) { claim(!$0.isEmpty && $0.count <= value.count, "a list's member is empty") }
        at = line.end
        count += 1
    }
    claim(count <= limits.headerFields, "there are more fields than there may be")
}
