import SocketClient
import Testing

@testable import HTTP

/// The corpus of conformance, smuggling and abuse, against the parser and decoder alone and against a server.
struct CorpusTests {
    private static let limits: Limits = {
        var limits = Limits.patient
        limits.body = 4096
        return limits
    }()

    private static let server = try? TestServer(limits) { request, answer in
        switch request.method {
        case .other, .connect:
            var response = plain("", .notImplemented)
            response.closes = true
            answer.send(response)
        default: answer.send(plain(request.bodyText))
        }
    }

    /// What bytes come to when they are read request by request.
    private struct Reading {
        var statuses: [Int] = []
        /// Whether each of those answers is one to a HEAD.
        var heads: [Bool] = []
        var content: [UInt8] = []
        var end = CorpusCase.End.open

        init(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty, end == .open {
                let left = Array(rest)
                switch RequestParser(limits: CorpusTests.limits).parse(left.span) {
                case .incomplete: end = left.contains { $0 != 13 && $0 != 10 } ? .waiting : .open
                case .fault(let fault, let isHead): answer(Int(fault.status.rawValue), isHead, closes: true)
                case .head(let head): rest = rest.dropFirst(take(head, Array(left[head.length...])) ?? 0)
                }
                if end == .waiting { return }
            }
        }

        private mutating func answer(_ status: Int, _ isHead: Bool, closes: Bool) {
            statuses.append(status)
            heads.append(isHead)
            if closes { end = .closed }
        }

        /// Reads the content and answers; how much head and content took, nil if that is the end.
        private mutating func take(_ head: RequestHead, _ rest: [UInt8]) -> Int? {
            let isHead = head.method == .head
            if head.hasUnknownExpectation { return fault(417, isHead) }
            if head.method == .other || head.method == .connect { return fault(501, isHead) }
            var taken = 0
            switch head.framing {
            case .none: break
            case .length(let length):
                guard length <= CorpusTests.limits.body else { return fault(413, isHead) }
                guard rest.count >= length else { return wait() }
                content += rest[..<length]
                taken = length
            case .chunked:
                var decoder = ChunkedDecoder(limits: CorpusTests.limits)
                var decoded: [UInt8] = []
                do throws(RequestFault) {
                    try decoder.decode(rest.span, &taken) { span in
                        for index in span.indices { decoded.append(span[index]) }
                    }
                } catch {
                    return fault(Int(error.status.rawValue), isHead)
                }
                guard decoder.isDone else { return wait() }
                content += decoded
            }
            answer(200, isHead, closes: !head.keepsAlive)
            return head.length + taken
        }

        private mutating func fault(_ status: Int, _ isHead: Bool) -> Int? {
            answer(status, isHead, closes: true)
            return nil
        }

        private mutating func wait() -> Int? {
            end = .waiting
            return nil
        }
    }

    @Test func `the corpus is all there`() { #expect(CorpusCase.all.count == 191) }

    @Test(arguments: CorpusCase.all) func `bytes are read as the case says`(_ item: CorpusCase) {
        let reading = Reading(Array(item.packets.joined()))
        #expect(reading.statuses == item.statuses.filter { $0 >= 200 }, "\(item.why)")
        #expect(reading.end == item.end, "\(item.why)")
        if let content = item.content { #expect(reading.content == content, "\(item.why)") }
    }

    @Test(arguments: CorpusCase.all) func `a server answers as the case says`(_ item: CorpusCase) async throws {
        let client = try #require(Self.server).connect()
        for packet in item.packets {
            await client.send(packet)
            if item.packets.count > 1 { try await Task.sleep(for: .milliseconds(15)) }
        }
        var heads = Reading(Array(item.packets.joined())).heads
        var content: [UInt8] = []
        for status in item.statuses {
            let reply = try await client.reply(toHead: status >= 200 && heads.removeFirst())
            #expect(reply.status == status, "\(item.why)")
            if reply.status == 200 { content += reply.body }
        }
        switch item.end {
        case .closed: #expect(await client.ending() == .closed(unread: 0), "\(item.why)")
        case .waiting: #expect(await client.isQuiet(for: 60), "\(item.why)")
        case .open: #expect(try await client.ask(get("/last")).status == 200, "\(item.why)")
        }
        if let wanted = item.content { #expect(content == wanted, "\(item.why)") }
    }
}
