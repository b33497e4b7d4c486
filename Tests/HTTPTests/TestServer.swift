// A server with one handler made of closures, on a port of its own.
import Foundation
import Glibc
import SocketClient
import Synchronization
import Telemetry

@testable import HTTP

/// A handler made of closures.
final class ClosureHandler: RequestHandler {
    typealias Body = @Sendable (borrowing Request, inout Answer) -> Void

    private let policy: BodyPolicy
    private let body: Body

    init(policy: BodyPolicy, _ body: @escaping Body) {
        self.policy = policy
        self.body = body
    }

    func bodyPolicy(for request: borrowing Request) -> BodyPolicy { policy }
    func handle(_ request: borrowing Request, _ answer: inout Answer) { body(request, &answer) }
    func expect(_ path: Span<UInt8>) {}
    func turnEnded() {}
}

extension Limits {
    /// The usual ones but for time: on a busy machine a test may be left alone for longer than a client may be silent.
    static let patient: Limits = {
        var limits = Limits()
        limits.headTime = .seconds(600)
        limits.bodyTime = .seconds(600)
        limits.idleTime = .seconds(600)
        return limits
    }()
}

/// A running server; stopped with its last reference.
final class TestServer: Sendable {
    let port: UInt16
    private let server: Server

    convenience init(
        _ limits: Limits = .patient, loops: Int = 1, policy: BodyPolicy = .gather,
        _ body: @escaping ClosureHandler.Body
    ) throws {
        try self.init(options: ServerOptions(limits: limits), loops: loops, policy: policy, body)
    }

    init(
        options: ServerOptions, hasPreface: Bool = false, loops: Int = 1, policy: BodyPolicy = .gather,
        _ body: @escaping ClosureHandler.Body
    ) throws {
        let listener = try Listener(.address(host: "127.0.0.1", port: 0), hasPreface: hasPreface)
        port = listener.port
        server = try Server(listeners: [listener], loops: loops, options: options, log: Log(level: .error))
        server.start { _ in ClosureHandler(policy: policy, body) }
    }

    deinit {
        // Waits for the loops, so not on a thread of the tests.
        Thread.detachNewThread { [server] in server.stop(within: .zero) }
    }

    func connect(receiveBuffer: Int32? = nil) throws -> SocketClient {
        try SocketClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// Stops; returns how long that took.
    func stop(within patience: Duration) async -> Duration {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [server] in
                continuation.resume(returning: ContinuousClock().measure { server.stop(within: patience) })
            }
        }
    }
}

/// One loop without a listener, with one connection whose socket takes few bytes before it says that it is full.
final class LoopRig: Sendable {
    let client: SocketClient
    private let loop: EventLoop

    init(_ limits: Limits = .patient, policy: BodyPolicy = .gather, _ body: @escaping ClosureHandler.Body)
        throws
    {
        var pair: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw SocketError("socketpair", errno)
        }
        // socket(7): the kernel doubles it, and has a least of some KiB.
        setOption(pair[0], SOL_SOCKET, SO_SNDBUF, 2048)
        _ = fcntl(pair[0], F_SETFL, O_NONBLOCK)
        loop = try EventLoop(
            ServerOptions(limits: limits), heldContent: HeldContent(limits), log: Log(level: .error))
        loop.prepare(
            handler: ClosureHandler(policy: policy, body),
            acceptor: Acceptor(listeners: [], loops: [loop], limit: limits.connections))
        client = SocketClient(descriptor: pair[1])
        loop.load.add(1, ordering: .relaxed)
        loop.send(.adopt(Arrival(descriptor: pair[0], client: .local, isSecure: false)))
        Thread.detachNewThread { [loop] in loop.run() }
    }

    deinit { loop.send(.stop(within: .zero)) }
}

/// An answer in plain text.
func plain(_ text: String, _ status: Status = .ok) -> Response { Response(status, type: "text/plain", text) }

extension Request {
    /// The path as text.
    var pathText: String { String(decodingUTF8: path) }
    var bodyText: String { String(decodingUTF8: body) }
}

/// Waits until something is so; false if it is not within half a minute.
func eventually(_ isSo: () -> Bool) async -> Bool {
    for _ in 0..<3_000 {
        if isSo() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return isSo()
}

/// A request without content.
func get(_ path: String, _ fields: String..., method: String = "GET", version: String = "HTTP/1.1") -> String {
    "\(method) \(path) \(version)\r\nHost: a.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
}
