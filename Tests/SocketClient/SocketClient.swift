// A client on a bare socket, for tests that send bytes as no HTTP library would. Waiting costs no thread: hundreds of clients may
// wait at once, and Dispatch has only so many threads. One task may read while another writes, no more.
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
    // Sendable by hand: the descriptor never changes, and all else belongs to the one task that reads.
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var incoming = [UInt8](repeating: 0, count: 64 * 1024)
    private var hasEnded = false
    private var wasReset = false

    /// What every wait gives up after, in milliseconds.
    private static let patience = 60_000

    /// Connects. A small `receiveBuffer` (bytes) makes a client that can take little before it reads.
    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        // Set only once it is connected: a class that throws after its last property is set is taken down by `deinit`.
        descriptor = try Self.connected(port, receiveBuffer)
    }

    /// Takes over an open stream socket.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    /// Lets the process have as many descriptors as it may (getrlimit(2)), once: the 1,024 that many a shell starts with are too few
    /// for all tests of a target side by side.
    private static let descriptorsRaised: Void = {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 16_384)
        _ = unsafe setrlimit(resource, &limit)
    }()

    private static func connected(_ port: UInt16, _ receiveBuffer: Int32?) throws -> Int32 {
        _ = descriptorsRaised
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ReplyFault("socket: errno \(errno)") }
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
        guard outcome == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw ReplyFault("connect: errno \(code)")
        }
        return descriptor
    }

    // MARK: Sending

    /// Sends all of it; false where the server has closed before.
    @discardableResult package func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    @discardableResult package func send(_ bytes: [UInt8]) async -> Bool {
        var at = 0
        while at < bytes.count {
            let count = write(bytes, from: at, flags: Int32(MSG_DONTWAIT))
            if count > 0 {
                at += count
            } else {
                guard errno == EAGAIN else { return false }
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        return true
    }

    private func write(_ bytes: [UInt8], from start: Int, flags: Int32 = 0) -> Int {
        // The buffer is read during the call only.
        unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(
                descriptor, $0.baseAddress.map { unsafe $0 + start }, $0.count - start, Int32(MSG_NOSIGNAL) | flags)
        }
    }

    /// Sends a byte as TCP's urgent data, which a server that does not ask for it never sees (tcp(7)).
    package func sendUrgently(_ byte: UInt8) {
        var byte = byte
        _ = unsafe Glibc.send(descriptor, &byte, 1, Int32(MSG_OOB) | Int32(MSG_NOSIGNAL))
    }

    /// Ends the sending half.
    package func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Lets go of both halves at once, by a reset.
    package func leave() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        // The number stays taken until `deinit`, so that nobody else gets it meanwhile.
        let none = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        _ = dup2(none, descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        Glibc.close(none)
    }

    // MARK: Receiving

    /// The next answer, interim ones included.
    package func reply(toHead isHead: Bool = false) async throws -> Reply {
        while true {
            if let (reply, count) = try Reply.read(buffer, toHead: isHead, isEnd: hasEnded) {
                buffer.removeFirst(count)
                return reply
            }
            // Looked at again when it has grown by half or nothing more comes at once, so that large answers are not read over
            // and over.
            let enough = buffer.count + buffer.count / 2
            guard await receive(within: Self.patience) else { throw ReplyFault("no answer came") }
            while buffer.count < enough, !hasEnded, await receive(within: 5) {}
        }
    }

    /// Sends a request and reads its answer.
    package func ask(_ request: String, toHead isHead: Bool = false) async throws -> Reply {
        await send(request)
        return try await reply(toHead: isHead)
    }

    /// Reads on until the connection ends, and says how; `.open` if it has not within `milliseconds`.
    package func ending(within milliseconds: Int = patience) async -> Ending {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while !hasEnded {
            guard ContinuousClock.now < end, await receive(within: milliseconds) else { return .open }
        }
        return wasReset ? .reset : .closed(unread: buffer.count)
    }

    /// Whether nothing comes and the connection stays open for so long.
    package func isQuiet(for milliseconds: Int) async -> Bool {
        guard buffer.isEmpty, !hasEnded else { return false }
        return await !receive(within: milliseconds)
    }

    /// Waits for bytes or the end and takes what is there; false if nothing came in time.
    private func receive(within milliseconds: Int) async -> Bool {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        var pause = Duration.microseconds(200)
        while !hasEnded {
            let count = unsafe recv(descriptor, &incoming, incoming.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                buffer += incoming[..<count]
                return true
            }
            if count < 0, errno == EAGAIN {
                guard ContinuousClock.now < end else { return false }
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .milliseconds(5))
            } else {
                hasEnded = true
                wasReset = count < 0
            }
        }
        return true
    }

    // MARK: By the clock

    // On a thread of their own, since a busy machine lets tasks wait for longer than any limit that is tried here.

    /// Sends one piece after another with a pause between; false where the server has closed before.
    @discardableResult package func send(_ pieces: [String], every milliseconds: UInt32) async -> Bool {
        await onThread {
            for piece in pieces {
                guard self.write(Array(piece.utf8), from: 0) > 0 else { return false }
                usleep(milliseconds * 1000)
            }
            return true
        }
    }

    /// Sends a request, and begins to read its answer of at least `count` bytes `pause` milliseconds later.
    package func reply(sending request: String, after pause: UInt32, reading count: Int) async throws -> Reply {
        await onThread {
            _ = self.write(Array(request.utf8), from: 0)
            usleep(pause * 1000)
            while self.buffer.count < count {
                let read = unsafe recv(self.descriptor, &self.incoming, self.incoming.count, 0)
                guard read > 0 else { return }
                self.buffer += self.incoming[..<read]
            }
        }
        return try await reply()
    }

    /// Sends a request, then reads so many bytes at a time, with a pause between, and drops them until `count` have come; how
    /// many came before the end.
    package func skip(_ count: Int, by piece: Int, every milliseconds: UInt32, sending request: String) async -> Int {
        await onThread {
            _ = self.write(Array(request.utf8), from: 0)
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

    /// Sends a request and waits so long for what comes, without Dispatch, which does not survive a lack of descriptors.
    package func exchange(_ request: String, within milliseconds: Int32) -> String {
        _ = write(Array(request.utf8), from: 0)
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&event, 1, milliseconds) > 0 else { return "" }
        let count = unsafe recv(descriptor, &incoming, incoming.count, 0)
        return String(decoding: incoming[..<max(0, count)], as: UTF8.self)
    }

    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "test.client").async { continuation.resume(returning: body()) }
        }
    }
}
