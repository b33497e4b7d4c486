import Foundation
import SocketClient
import Synchronization
import Testing

@testable import HTTP

/// Clients that are slower than they may be. The limits are small; the server looks at them four times a second.
struct TimeLimitTests {
    private static let limits: Limits = {
        var limits = Limits()
        limits.headTime = .milliseconds(700)
        limits.bodyTime = .milliseconds(700)
        limits.idleTime = .milliseconds(700)
        limits.bodyRate = 500
        return limits
    }()

    private func server(_ change: (inout Limits) -> Void = { _ in }, answer text: String = "x") throws -> TestServer {
        var limits = Self.limits
        change(&limits)
        return try TestServer(limits) { request, answer in answer.send(plain(text + request.bodyText)) }
    }

    @Test func `a connection without a request is closed without a word`() async throws {
        let server = try server()
        let client = try server.connect()
        #expect(await client.ending(within: 30_000) == .closed(unread: 0))
    }

    @Test func `a connection that is not used again is closed without a word`() async throws {
        let server = try server { $0.headTime = .seconds(20) }
        let client = try server.connect()
        #expect(try await client.ask(get("/")).text == "x")
        #expect(await client.ending(within: 30_000) == .closed(unread: 0))
    }

    @Test func `a head that comes in drips is 408`() async throws {
        let server = try server()
        let client = try server.connect()
        await client.send("GET / HTTP/1.1\r\n")
        async let drip = client.send(["X", ":"] + [String](repeating: "y", count: 150), every: 20)
        let reply = try await client.reply()
        #expect(reply.status == 408 && reply["Connection"] == "close")
        #expect(await client.ending() == .closed(unread: 0))
        _ = await drip
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost", "\r\n"])
    func `the head of a second request has no more time than that of a first`(_ beginning: String) async throws {
        let server = try server { $0.idleTime = .seconds(20) }
        let client = try server.connect()
        await client.send(get("/") + beginning)
        #expect(try await client.reply().text == "x")
        #expect(try await client.reply().status == 408)
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `a second head that begins after the first answer has no more time either`() async throws {
        let server = try server { $0.idleTime = .seconds(20) }
        let client = try server.connect()
        #expect(try await client.ask(get("/")).text == "x")
        await client.send("GET / HTTP/1.1\r\n")
        async let drip = client.send(["X", ":"] + [String](repeating: "y", count: 150), every: 20)
        #expect(try await client.reply().status == 408)
        _ = await drip
    }

    @Test func `content that comes in drips is 408`() async throws {
        let server = try server()
        let client = try server.connect()
        await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n")
        async let drip = client.send([String](repeating: "a", count: 150), every: 20)
        #expect(try await client.reply().status == 408)
        #expect(await client.ending() == .closed(unread: 0))
        _ = await drip
    }

    @Test func `content that comes steadily may take its time`() async throws {
        let server = try server()
        let client = try server.connect()
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n"
        await client.send([head] + [String](repeating: String(repeating: "a", count: 500), count: 20), every: 90)
        #expect(try await client.reply().body.count == 10_001)
    }

    @Test func `content that begins behind an answer which nobody reads is timed all the same`() async throws {
        var limits = Self.limits
        limits.bodyRate = 100
        let rig = try LoopRig(limits) { _, answer in answer.send(plain(String(repeating: "b", count: 20_000))) }
        let requests = get("/") + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\na"
        #expect(try await rig.client.reply(sending: requests, after: 100, reading: 20_000).body.count == 20_000)
        #expect(try await rig.client.reply().status == 408)
        #expect(await rig.client.ending() == .closed(unread: 0))
    }

    @Test func `a client that does not read its answer is cut off`() async throws {
        let server = try server(answer: String(repeating: "a", count: 8 << 20))
        let client = try server.connect(receiveBuffer: 65_536)
        await client.send(get("/"))
        try await Task.sleep(for: .milliseconds(3500))
        await #expect(throws: ReplyFault.self) { try await client.reply() }
    }

    @Test func `the kernel keeps little for a client that does not read`() async throws {
        let server = try TestServer { _, answer in answer.send(plain(String(repeating: "a", count: 8 << 20))) }
        let client = try server.connect(receiveBuffer: 65_536)
        await client.send(get("/"))
        #expect(await eventually { Self.unacknowledged(port: server.port) ?? 0 > 0 })
        // As long as the kernel may still be filled.
        try await Task.sleep(for: .seconds(1))
        let kept = try #require(Self.unacknowledged(port: server.port))
        #expect(kept < 1 << 20)
    }

    @Test func `the kernel keeps nothing for a client that was cut off`() async throws {
        let isAnswered = Atomic<Bool>(false)
        let server = try TestServer(Self.limits) { _, answer in
            isAnswered.store(true, ordering: .sequentiallyConsistent)
            answer.send(plain(String(repeating: "a", count: 8 << 20)))
        }
        let client = try server.connect(receiveBuffer: 65_536)
        await client.send(get("/"))
        #expect(await eventually { isAnswered.load(ordering: .sequentiallyConsistent) })
        #expect(await eventually { Self.unacknowledged(port: server.port) == nil })
    }

    /// How many bytes wait in the kernel for the clients of a port; nil where no connection is left. As proc(5), /proc/net/tcp.
    private static func unacknowledged(port: UInt16) -> Int? {
        let name = ":" + String(port, radix: 16, uppercase: true)
        // Given out page by page, which some readers take for its end.
        let file = FileHandle(forReadingAtPath: "/proc/self/net/tcp")
        var table = Data()
        while let page = try? file?.read(upToCount: 4_096), !page.isEmpty { table += page }
        let queues = String(decoding: table, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }.filter {
            columns in
            columns.count > 4 && columns[1].hasSuffix(name) && columns[3] != listening
        }
        return queues.isEmpty ? nil : queues.reduce(0) { $0 + (Int($1[4].prefix(8), radix: 16) ?? 0) }
    }

    private static let listening = "0A"

    @Test func `a client that reads slowly but steadily gets all of it`() async throws {
        var limits = Self.limits
        limits.bodyTime = .seconds(1)
        let rig = try LoopRig(limits) { _, answer in answer.send(plain(String(repeating: "b", count: 60_000))) }
        #expect(await rig.client.skip(50_000, by: 1_000, every: 60, sending: get("/")) >= 50_000)
    }

    @Test func `a handler that takes its time is waited for`() async throws {
        let server = try TestServer(Self.limits) { _, answer in
            let ticket = answer.later()
            Task {
                try await Task.sleep(for: .milliseconds(1600))
                ticket.answer(plain("late"))
            }
        }
        #expect(try await server.connect().ask(get("/")).text == "late")
    }
}
