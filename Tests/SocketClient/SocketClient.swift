// A client on a bare socket, for tests that send bytes as no HTTP library would. Every call waits on a queue of its own, never
// on the threads that run the tests.
import Dispatch
import Glibc

/// How a connection ended.
package enum Ending: Equatable, Sendable {
    /// In order, after this many bytes that nobody had read.
    case closed(unread: Int)
    /// By a reset.
    case reset
    /// Not within the patience.
    case open
}

/// One TCP connection to 127.0.0.1, or one end of any other stream socket.
package final class SocketClient: @unchecked Sendable {
    // Sendable by hand: `buffer`, `incoming`, `hasEnded` and `wasReset` are touched on `reading` alone; the descriptor never changes.
    private let descriptor: Int32
    private let reading = DispatchQueue(label: "test.client.reading")
    private let writing = DispatchQueue(label: "test.client.writing")
    private var buffer: [UInt8] = []
    private var incoming = [UInt8](repeating: 0, count: 64 * 1024)
    private var hasEnded = false
    private var wasReset = false

    /// What every wait gives up after.
    private static let patience = 10_000

    /// Connects. A small `receiveBuffer` (bytes) makes a client that can take little before it reads.
    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            // sockaddr_in begins as sockaddr does.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if outcome != 0 {
            let code = errno
            Glibc.close(descriptor)
            throw ReplyFault("connect: errno \(code)")
        }
    }

    /// Takes over an open stream socket.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    // MARK: Sending

    /// Sends all of it; false where the server has closed before.
    @discardableResult package func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    @discardableResult package func send(_ bytes: [UInt8]) async -> Bool { await run(on: writing) { self.write(bytes) } }

    /// Sends one piece after another with a pause between, timed on the client's own thread; false where the server has
    /// closed before.
    @discardableResult package func send(_ pieces: [String], every milliseconds: UInt32) async -> Bool {
        await run(on: writing) {
            for piece in pieces {
                guard self.write(Array(piece.utf8)) else { return false }
                usleep(milliseconds * 1000)
            }
            return true
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var at = 0
        while at < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress.map { unsafe $0 + at }, $0.count - at, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            at += count
        }
        return true
    }

    /// Ends the sending half.
    package func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Lets go of both halves at once; with unread bytes the server sees a reset.
    package func leave() async {
        await run(on: reading) {
            var hard = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
            // The number stays taken until `deinit`, so that nobody else gets it meanwhile.
            let none = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            _ = dup2(none, self.descriptor)
            Glibc.close(none)
        }
    }

    // MARK: Receiving

    /// The next answer, interim ones included.
    /// Where times matter: `request` is sent first and the first look is `pause` milliseconds later, on one thread.
    package func reply(toHead isHead: Bool = false, sending request: String = "", after pause: UInt32 = 0) async throws
        -> Reply
    {
        try await attempt {
            _ = self.write(Array(request.utf8))
            usleep(pause * 1000)
            while true {
                if let (reply, count) = try Reply.read(self.buffer, toHead: isHead, isEnd: self.hasEnded) {
                    self.buffer.removeFirst(count)
                    return reply
                }
                // Looked at again when it has grown by half or nothing more comes at once, so that large answers are not
                // read over and over.
                let enough = self.buffer.count + self.buffer.count / 2
                guard self.receive(within: Self.patience) else { throw ReplyFault("no answer came") }
                while self.buffer.count < enough, !self.hasEnded, self.receive(within: 5) {}
            }
        }
    }

    /// Sends a request and reads its answer.
    package func ask(_ request: String, toHead isHead: Bool = false) async throws -> Reply {
        await send(request)
        return try await reply(toHead: isHead)
    }

    /// Reads on until the connection ends, and says how; `.open` if it has not within `milliseconds`.
    package func ending(within milliseconds: Int = patience) async -> Ending {
        await run(on: reading) {
            let end = DispatchTime.now() + .milliseconds(milliseconds)
            while !self.hasEnded {
                let left = Int(
                    clamping: (Int64(end.uptimeNanoseconds) - Int64(DispatchTime.now().uptimeNanoseconds)) / 1_000_000)
                guard left > 0, self.receive(within: left) else { return .open }
            }
            return self.wasReset ? .reset : .closed(unread: self.buffer.count)
        }
    }

    /// Whether nothing comes and the connection stays open for so long.
    package func isQuiet(for milliseconds: Int) async -> Bool {
        await run(on: reading) { self.buffer.isEmpty && !self.hasEnded && !self.receive(within: milliseconds) }
    }

    /// Sends a request, then reads so many bytes at a time, with a pause between, and drops them until `count` have come; how
    /// many came before the end.
    package func skip(_ count: Int, by piece: Int, every milliseconds: UInt32, sending request: String) async -> Int {
        await run(on: reading) {
            _ = self.write(Array(request.utf8))
            var bytes = [UInt8](repeating: 0, count: piece)
            var taken = 0
            while taken < count {
                let read = unsafe recv(self.descriptor, &bytes, piece, 0)
                guard read > 0 else { break }
                taken += read
                usleep(milliseconds * 1000)
            }
            return taken
        }
    }

    /// Waits for bytes or the end and takes what is there; false if nothing came in time.
    private func receive(within milliseconds: Int) -> Bool {
        guard !hasEnded else { return true }
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&event, 1, Int32(clamping: milliseconds)) > 0 else { return false }
        let count = unsafe recv(descriptor, &incoming, incoming.count, 0)
        if count > 0 {
            buffer += incoming[..<count]
        } else {
            hasEnded = true
            wasReset = count < 0
        }
        return true
    }

    private func run<Result: Sendable>(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }

    private func attempt<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            reading.async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
