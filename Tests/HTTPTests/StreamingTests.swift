import Dispatch
import SocketClient
import Synchronization
import Testing

@testable import HTTP

/// Answers made piece by piece.
struct StreamingTests {
    private struct Broken: Error {}

    /// Hands out pieces, on a thread of its own, and notices when it is asked before its time.
    private final class Pieces: BodySource {
        let asked = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        private let running = Atomic<Bool>(false)
        private let pieces: [[UInt8]]
        private let fails: Bool
        private let delay: DispatchTimeInterval
        private let queue = DispatchQueue(label: "test.pieces")

        init(_ pieces: [[UInt8]], fails: Bool = false, delay: DispatchTimeInterval = .nanoseconds(0)) {
            self.pieces = pieces
            self.fails = fails
            self.delay = delay
        }

        func next(_ done: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void) {
            if running.exchange(true, ordering: .acquiringAndReleasing) { overlaps.add(1, ordering: .relaxed) }
            let index = asked.add(1, ordering: .acquiringAndReleasing).oldValue
            queue.asyncAfter(deadline: .now() + delay) {
                self.running.store(false, ordering: .releasing)
                if index < self.pieces.count { return done(.success(self.pieces[index])) }
                done(self.fails ? .failure(Broken()) : .success(nil))
            }
        }
    }

    /// Where a test finds the source that its server made.
    private final class Shelf: Sendable {
        let sources = Atomic<Int>(0)
        private let storage = WeakSource()

        var source: Pieces? { storage.value }
        func put(_ source: Pieces) {
            storage.value = source
            sources.add(1, ordering: .relaxed)
        }

        private final class WeakSource: @unchecked Sendable {
            // Sendable by hand: guarded by the queue.
            private let queue = DispatchQueue(label: "test.shelf")
            private weak var source: Pieces?
            var value: Pieces? {
                get { queue.sync { source } }
                set { queue.sync { source = newValue } }
            }
        }
    }

    private func server(
        _ shelf: Shelf = Shelf(), count: Int, size: Int, fails: Bool = false, delay: DispatchTimeInterval = .nanoseconds(0)
    ) throws -> TestServer {
        try TestServer { request, answer in
            guard request.pathText == "/stream" else { return answer.send(plain(request.pathText)) }
            let pieces = (0..<count).map { [UInt8](repeating: UInt8(ascii: "a") + UInt8($0 % 26), count: size) }
            let source = Pieces(pieces, fails: fails, delay: delay)
            shelf.put(source)
            answer.send(Response(.ok, type: "text/plain", content: .stream(source)))
        }
    }

    @Test func `pieces become chunks, empty ones nothing, and the connection goes on`() async throws {
        let server = try TestServer { request, answer in
            if request.pathText == "/x" { return answer.send(plain("x")) }
            let source = Pieces([Array("one".utf8), [], Array("two".utf8), []])
            answer.send(Response(.ok, type: "text/plain", content: .stream(source)))
        }
        let client = try server.connect()
        await client.send(get("/stream") + get("/x") + get("/stream"))
        let reply = try await client.reply()
        #expect(reply.text == "onetwo")
        #expect(reply["Transfer-Encoding"] == "chunked" && reply["Content-Length"] == nil)
        #expect(try await client.reply().text == "x")
        #expect(try await client.reply().text == "onetwo")
    }

    @Test func `a source is never asked ahead of a client that does not read`() async throws {
        let shelf = Shelf()
        let count = 40
        let server = try server(shelf, count: count, size: 1 << 18)
        let client = try server.connect(receiveBuffer: 65_536)
        await client.send(get("/stream"))
        try #require(await eventually { shelf.source != nil })
        try await Task.sleep(for: .milliseconds(300))
        let source = try #require(shelf.source)
        // What the sockets' buffers hold, and one piece more.
        #expect(source.asked.load(ordering: .acquiring) < 24)
        let reply = try await client.reply()
        #expect(reply.body.count == count << 18)
        #expect(reply.body.first == UInt8(ascii: "a") && reply.body.last == UInt8(ascii: "a") + UInt8((count - 1) % 26))
        #expect(source.asked.load(ordering: .acquiring) == count + 1)
        #expect(source.overlaps.load(ordering: .acquiring) == 0)
    }

    @Test func `a source is not asked before the answers in front of it have left`() async throws {
        let held = Shelf()
        let rig = try LoopRig { request, answer in
            guard request.pathText == "/stream" else { return answer.send(plain(String(repeating: "b", count: 20_000))) }
            let ticket = answer.later()
            let source = Pieces([Array("piece".utf8)])
            held.put(source)
            DispatchQueue(label: "test.answer").asyncAfter(deadline: .now() + .milliseconds(50)) {
                ticket.answer(Response(.ok, type: "text/plain", content: .stream(source)))
            }
        }
        await rig.client.send(get("/big") + get("/stream"))
        try #require(await eventually { held.source != nil })
        let source = try #require(held.source)
        try await Task.sleep(for: .milliseconds(150))
        #expect(source.asked.load(ordering: .acquiring) == 0)
        #expect(try await rig.client.reply().body.count == 20_000)
        #expect(try await rig.client.reply().text == "piece")
        #expect(source.asked.load(ordering: .acquiring) == 2)
    }

    @Test func `a source is let go when the client leaves while it waits for room`() async throws {
        let shelf = Shelf()
        let server = try server(shelf, count: 100, size: 1 << 18)
        let client = try server.connect(receiveBuffer: 65_536)
        await client.send(get("/stream"))
        try #require(await eventually { shelf.source != nil })
        try await Task.sleep(for: .milliseconds(100))
        client.leave()
        #expect(await eventually { shelf.source == nil })
    }

    @Test func `a source is let go when the client leaves between two pieces`() async throws {
        let shelf = Shelf()
        let server = try server(shelf, count: 100_000, size: 10, delay: .milliseconds(5))
        let client = try server.connect()
        await client.send(get("/stream"))
        try #require(await eventually { (shelf.source?.asked.load(ordering: .acquiring) ?? 0) > 3 })
        client.leave()
        #expect(await eventually { shelf.source == nil })
    }

    @Test func `a source is let go at its end`() async throws {
        let shelf = Shelf()
        let server = try server(shelf, count: 2, size: 10)
        let client = try server.connect()
        #expect(try await client.ask(get("/stream")).body.count == 20)
        #expect(await eventually { shelf.source == nil })
    }

    @Test func `a source that fails cuts the answer, so that nobody takes it for whole`() async throws {
        let server = try server(count: 2, size: 10, fails: true)
        let client = try server.connect()
        await client.send(get("/stream"))
        await #expect(throws: ReplyFault.self) { try await client.reply() }
    }

    @Test func `HEAD of a streamed answer has its head and asks for nothing`() async throws {
        let shelf = Shelf()
        let server = try server(shelf, count: 2, size: 10)
        let client = try server.connect()
        let head = try await client.ask(get("/stream", method: "HEAD"), toHead: true)
        #expect(head.status == 200 && head["Transfer-Encoding"] == "chunked")
        #expect(try await client.ask(get("/x")).text == "/x")
        #expect(shelf.sources.load(ordering: .acquiring) == 1)
        #expect(await eventually { shelf.source == nil })
    }

    @Test func `HTTP 1 point 0 gets a stream without chunks that ends with the connection`() async throws {
        let server = try server(count: 3, size: 10)
        let client = try server.connect()
        let reply = try await client.ask(get("/stream", "Connection: keep-alive", version: "HTTP/1.0"))
        #expect(reply.body.count == 30)
        #expect(reply["Transfer-Encoding"] == nil && reply["Connection"] == "close")
        #expect(await client.ending() == .closed(unread: 0))
    }
}
