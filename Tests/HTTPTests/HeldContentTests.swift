// What clients can have held of content that they do not finish, over real sockets.
import Foundation
import Packing
import Sanitizer
import SocketClient
import Testing

@testable import HTTP

struct HeldContentTests {
    private static func server(body: Int, together: Int) throws -> TestServer {
        var limits = Limits.patient
        limits.body = body
        limits.contentTogether = together
        return try TestServer(limits, loops: 2) { request, answer in answer.send(plain("\(request.body.count)")) }
    }

    private static func post(_ content: [UInt8], _ fields: String...) -> [UInt8] {
        let lines = (fields + ["Content-Length: \(content.count)"]).map { $0 + "\r\n" }.joined()
        return Array("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".utf8) + content
    }

    /// Connections that have sent all but the last byte, and what became of those that were refused.
    private static func begin(_ count: Int, _ bytes: [UInt8], at server: TestServer) async throws -> (
        waiting: [SocketClient], refused: [Reply]
    ) {
        var clients: [SocketClient] = []
        for _ in 0..<count {
            let client = try server.connect()
            await client.send(bytes.dropLast())
            clients.append(client)
        }
        var (waiting, refused): ([SocketClient], [Reply]) = ([], [])
        for (index, client) in clients.enumerated() {
            // All has been read within the first one's time.
            if await client.isQuiet(for: index == 0 ? 500 : 1) {
                waiting.append(client)
            } else {
                refused.append(try await client.reply())
            }
        }
        return (waiting, refused)
    }

    @Test func `large content of many is refused with the time to wait, small is not, and room that becomes free is used`()
        async throws
    {
        // Of each some 56 KiB count, so that four and a half have room.
        let server = try Self.server(body: 64 * 1024, together: 256 * 1024)
        let large = Self.post([UInt8](repeating: 1, count: 64 * 1024))
        var (waiting, refused) = try await Self.begin(6, large, at: server)
        #expect(waiting.count == 4)
        #expect(refused.count == 2)
        for reply in refused {
            #expect(reply.status == 503 && reply["Retry-After"] == "1" && reply["Connection"] == "close")
            #expect(reply.text.contains("too much content at once"))
        }
        let small = Self.post([UInt8](repeating: 2, count: 7 * 1024))
        let others = try await Self.begin(20, small, at: server)
        #expect(others.waiting.count == 20)
        // One ends its request, another leaves.
        await waiting[0].send([1])
        #expect(try await waiting[0].reply().text == "65536")
        waiting.removeFirst(2)
        try await Task.sleep(for: .milliseconds(300))
        let more = try await Self.begin(3, large, at: server)
        #expect(more.waiting.count == 2)
        for client in waiting + more.waiting {
            await client.send([1])
            #expect(try await client.reply().text == "65536")
        }
        for client in others.waiting {
            await client.send([2])
            #expect(try await client.reply().text == "7168")
        }
    }

    @Test func `content is unpacked when it is whole, so that a client has no more held than it has sent`() async throws {
        let server = try Self.server(body: 1 << 20, together: 4 << 20)
        let packed = Self.post(gzip([UInt8](repeating: 0, count: 1 << 20), level: 9), "Content-Encoding: gzip")
        let before = try residentKilobytes()
        let (waiting, refused) = try await Self.begin(600, packed, at: server)
        #expect(waiting.count == 600)
        #expect(refused.isEmpty)
        // Unpacked as they come, they would take 600 MiB; the tests beside this one take some too.
        #expect(try Sanitizer.isOn || residentKilobytes() - before < 400 * 1024)
        await waiting[599].send([packed[packed.count - 1]])
        #expect(try await waiting[599].reply().text == "1048576")
    }
}
