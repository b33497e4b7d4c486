// An answer as a strict client reads it: what RFC 9112 does not allow a server to send is an error here, not a guess.

/// What is wrong with an answer.
package struct ReplyFault: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// One answer, final or interim.
package struct Reply: Sendable {
    package var status = 0
    package var reason = ""
    /// In the order in which they came; names as they were sent.
    package var fields: [(name: String, value: String)] = []
    package var body: [UInt8] = []

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// 100 to 199: another answer to the same request follows.
    package var isInterim: Bool { status < 200 }

    /// The first value of a field, its name compared without letter case.
    package subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// How the end of the content is known.
    package enum Framing: Sendable {
        case length(Int)
        case chunked
        case untilEnd
    }

    /// Reads one answer from the start of `bytes`; nil if more must come. `isEnd` says that nothing will. Returns how many
    /// bytes it took.
    package static func read(_ bytes: [UInt8], toHead isHead: Bool, isEnd: Bool) throws(ReplyFault) -> (Reply, Int)? {
        guard let end = endOfHead(bytes) else {
            if isEnd { throw ReplyFault("the connection ended within a head of \(bytes.count) bytes") }
            return nil
        }
        var reply = try Reply(head: String(decoding: bytes[..<(end - 4)], as: UTF8.self))
        guard !isHead, !reply.isInterim, reply.status != 204, reply.status != 304 else { return (reply, end) }
        switch try reply.framing() {
        case .length(let length):
            guard bytes.count >= end + length else {
                if isEnd { throw ReplyFault("the connection ended after \(bytes.count - end) of \(length) bytes") }
                return nil
            }
            reply.body = Array(bytes[end..<end + length])
            return (reply, end + length)
        case .chunked:
            guard let (body, after) = try chunks(bytes, from: end) else {
                if isEnd { throw ReplyFault("the connection ended before the last chunk") }
                return nil
            }
            reply.body = body
            return (reply, after)
        case .untilEnd:
            guard isEnd else { return nil }
            reply.body = Array(bytes[end...])
            return (reply, bytes.count)
        }
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for at in 0...bytes.count - 4
        where bytes[at] == 13 && bytes[at + 1] == 10 && bytes[at + 2] == 13 && bytes[at + 3] == 10 {
            return at + 4
        }
        return nil
    }

    private init(head: String) throws(ReplyFault) {
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let parts = lines.removeFirst().split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3, let code = Int(parts[1]),
            !parts[2].isEmpty
        else { throw ReplyFault("not a status line: \(head.debugDescription)") }
        status = code
        reason = String(parts[2])
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                !line.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7f }), !line[..<colon].contains(" ")
            else { throw ReplyFault("not a field line: \(line.debugDescription)") }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields.append((String(line[..<colon]), String(value)))
        }
        let names = fields.map { $0.name.lowercased() }
        for name in ["date", "content-length", "transfer-encoding", "location", "connection"]
        where names.filter({ $0 == name }).count > 1 { throw ReplyFault("\(name) came twice") }
        if !isInterim, self["date"]?.utf8.count != 29 { throw ReplyFault("no Date: \(head.debugDescription)") }
    }

    private func framing() throws(ReplyFault) -> Framing {
        switch (self["content-length"], self["transfer-encoding"]) {
        case (let length?, nil):
            guard let count = Int(length), count >= 0, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw ReplyFault("Content-Length is \(length)")
            }
            return .length(count)
        case (nil, "chunked"): return .chunked
        case (nil, nil):
            guard self["connection"] == "close" else { throw ReplyFault("nothing says where the content ends") }
            return .untilEnd
        default: throw ReplyFault("the content's end is said in two ways, or in an unknown one")
        }
    }

    private static func chunks(_ bytes: [UInt8], from start: Int) throws(ReplyFault) -> ([UInt8], Int)? {
        var body: [UInt8] = []
        var at = start
        while true {
            guard let end = bytes[at...].firstIndex(of: 13) else { return nil }
            guard end + 1 < bytes.count else { return nil }
            guard bytes[end + 1] == 10, let size = Int(String(decoding: bytes[at..<end], as: UTF8.self), radix: 16),
                size >= 0
            else { throw ReplyFault("not a chunk size") }
            let content = end + 2
            guard content + size + 2 <= bytes.count else { return nil }
            guard bytes[content + size] == 13, bytes[content + size + 1] == 10 else {
                throw ReplyFault("not the end of a chunk")
            }
            body += bytes[content..<content + size]
            at = content + size + 2
            if size == 0 { return (body, at) }
        }
    }
}
