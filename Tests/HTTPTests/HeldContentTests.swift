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

    /// Connections that have sent all but the last byte.
    private static func begin(_ count: Int, _ bytes: [UInt8], at server: TestServer) async throws -> [SocketClient] {
        var clients: [SocketClient] = []
        for _ in 0..<count {
            let client = try server.connect()
            await client.send(bytes.dropLast())
            clients.append(client)
        }
        return clients
    }

    /// Sends the last byte, and expects the content's length as the answer.
    private static func end(_ clients: [SocketClient], _ bytes: [UInt8], answer: String) async throws {
        for client in clients {
            await client.send([bytes[bytes.count - 1]])
            let reply = try await client.reply()
            #expect(reply.status == 200 && reply.text == answer)
        }
    }

    @Test func `large content of many is refused with the time to wait, small is not, and room that becomes free is used`()
        async throws
    {
        // Of each some 56 KiB count, so that four have room, and of six two at least have not; more, where they come at the same moment.
        let server = try Self.server(body: 64 * 1024, together: 256 * 1024)
        let large = Self.post([UInt8](repeating: 1, count: 64 * 1024))
        let small = Self.post([UInt8](repeating: 2, count: 7 * 1024))
        let clients = try await Self.begin(6, large, at: server)
        var refused: [Int] = []
        let end = ContinuousClock.now + .seconds(60)
        while refused.count < 2, ContinuousClock.now < end {
            for (index, client) in clients.enumerated() where !refused.contains(index) {
                if await !client.isQuiet(for: 5) { refused.append(index) }
            }
        }
        try #require(refused.count >= 2)
        let others = try await Self.begin(20, small, at: server)
        for (index, client) in clients.enumerated() {
            if !refused.contains(index) { await client.send([1]) }
            let reply = try await client.reply()
            if reply.status == 200 {
                #expect(!refused.contains(index) && reply.text == "65536")
            } else {
                #expect(reply.status == 503 && reply["Retry-After"] == "1" && reply["Connection"] == "close")
                #expect(reply.text.contains("too much content at once"))
            }
        }
        try await Self.end(Self.begin(4, large, at: server), large, answer: "65536")
        // One that leaves gives its room back too.
        for client in try await Self.begin(4, large, at: server) { client.leave() }
        try await Self.end(others, small, answer: "7168")
        var status = 0
        while status != 200, ContinuousClock.now < end {
            let client = try server.connect()
            await client.send(large)
            status = try await client.reply().status
        }
        #expect(status == 200)
    }

    @Test func `content is unpacked when it is whole, so that a client has no more held than it has sent`() async throws {
        let server = try Self.server(body: 1 << 20, together: 4 << 20)
        let packed = Self.post(gzip([UInt8](repeating: 0, count: 1 << 20), level: 9), "Content-Encoding: gzip")
        let before = try residentKilobytes()
        let clients = try await Self.begin(600, packed, at: server)
        // All has been read within that time, mostly, and nothing answered.
        for (index, client) in clients.enumerated() { #expect(await client.isQuiet(for: index == 0 ? 500 : 1)) }
        // Unpacked as they come, they would take 600 MiB; the tests beside this one take some too.
        #expect(try Sanitizer.isOn || residentKilobytes() - before < 400 * 1024)
        try await Self.end(clients.suffix(10), packed, answer: "1048576")
    }
}
