// Takes new connections for one loop and shares them out: each goes to the loop that has fewest. All loops watch the same
// listeners; the kernel wakes one (EPOLLEXCLUSIVE, epoll_ctl(2)). When descriptors run out it stops watching for a while
// instead of being told of the same connection again and again.
internal import CLinux
internal import Glibc
internal import Synchronization
internal import Telemetry

final class Acceptor {
    private let listeners: [Listener]
    private let loops: [EventLoop]
    private let limit: Int
    private(set) var isPaused = false
    private var saidAt: UInt64 = 0

    init(listeners: [Listener], loops: [EventLoop], limit: Int) {
        self.listeners = listeners
        self.loops = loops
        self.limit = limit
    }

    // The top bit tells a listener's token from a connection's.
    private static func token(_ index: Int) -> UInt64 { 1 << 63 | UInt64(index) }

    static func listenerIndex(_ token: UInt64) -> Int? {
        token >> 63 == 1 && token != Poller.wakeToken ? Int(token & 0xffff) : nil
    }

    func start(_ loop: EventLoop) {
        isPaused = false
        for (index, listener) in listeners.enumerated() {
            _ = loop.poller.add(listener.descriptor, LINUX_EPOLLIN | LINUX_EPOLLEXCLUSIVE, token: Self.token(index))
        }
    }

    /// Takes what has connected already into this loop, then has the kernel refuse all others: whoever comes now is not left
    /// waiting for somebody who will not answer.
    func stop(_ loop: EventLoop) {
        for listener in listeners {
            loop.poller.remove(listener.descriptor)
            for _ in 0..<Listener.backlog {
                guard let arrival = next(listener) else { break }
                loop.load.add(1, ordering: .relaxed)
                loop.adopt(arrival)
            }
            shutdown(listener.descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Watches again after a pause; called a few times a second.
    func resumeIfPaused(_ loop: EventLoop) {
        if isPaused, !loop.isStopping { start(loop) }
    }

    /// Takes waiting connections, but not so many that the open ones wait long.
    func accept(_ index: Int, _ loop: EventLoop) {
        for _ in 0..<16 {
            guard let arrival = next(listeners[index]) else {
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { pause(loop, errno) }
                return
            }
            place(arrival, loop)
        }
    }

    /// A connection that waits, or nil with the reason in errno.
    private func next(_ listener: Listener) -> Arrival? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // sockaddr_storage is made to be filled in as any sockaddr.
        let descriptor = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept4(listener.descriptor, $0, &length, LINUX_SOCK_NONBLOCK | LINUX_SOCK_CLOEXEC)
            }
        }
        guard descriptor >= 0 else { return nil }
        return Arrival(
            descriptor: descriptor, client: ClientAddress(storage), isSecure: listener.isSecure,
            hasPreface: listener.hasPreface)
    }

    private func place(_ arrival: Arrival, _ loop: EventLoop) {
        let loads = loops.map { $0.load.load(ordering: .relaxed) }
        guard loads.reduce(0, +) < limit else {
            return refuse(arrival, loop, "the limit of \(limit) connections is reached; new ones are refused")
        }
        var arrival = arrival
        if let census = loop.census {
            switch census.admit(arrival.client) {
            case .counted(let site): arrival.countedAs = site
            case .exempt: break
            case .refused:
                let reason = "a client has the \(census.limit) connections that one may have; more of it are refused"
                return refuse(arrival, loop, reason, ["client": .text(arrival.client.text)])
            }
        }
        let lightest = loads.indices.min { loads[$0] < loads[$1] } ?? 0
        let chosen = loops[lightest]
        chosen.load.add(1, ordering: .relaxed)
        if chosen !== loop {
            if chosen.send(.adopt(arrival)) { return }
            // It has ended already.
            chosen.load.subtract(1, ordering: .relaxed)
            loop.load.add(1, ordering: .relaxed)
        }
        loop.adopt(arrival)
    }

    /// Over the limit: a word of explanation, if the socket takes it at once, and none where it would cost a handshake.
    private func refuse(_ arrival: Arrival, _ loop: EventLoop, _ reason: String, _ fields: LogFields = [:]) {
        if !arrival.isSecure { explain(arrival.descriptor, loop) }
        Glibc.close(arrival.descriptor)
        say(reason, loop, fields)
    }

    private func explain(_ descriptor: Int32, _ loop: EventLoop) {
        var output = OutputBuffer(capacity: 256)
        output.append("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n")
        output.append(loop.date.line)
        output.append("\r\n")
        // The buffer is read during the call only.
        _ = unsafe output.bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // What the client has sent already must be read, or closing sends a reset that may destroy the answer.
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
        _ = recv(descriptor, nil, Int.max, Int32(MSG_TRUNC | MSG_DONTWAIT))
    }

    private func pause(_ loop: EventLoop, _ code: Int32) {
        for listener in listeners { loop.poller.remove(listener.descriptor) }
        isPaused = true
        say("no new connections for a moment: \(unsafe String(cString: strerror(code)))", loop)
    }

    /// At most one line in ten seconds, so that a flood of connections is no flood in the log.
    private func say(_ text: String, _ loop: EventLoop, _ fields: LogFields = [:]) {
        guard loop.now >= saidAt else { return }
        saidAt = loop.now + 10_000_000_000
        loop.log.warning(text, fields)
    }
}
