// One question to a running daemon over a socket, plain or by TLS, with a clock that runs.
internal import Glibc
internal import HTTP

/// Where to ask.
enum ProbeTarget: Equatable, Sendable {
    case tcp(host: String, port: UInt16, isSecure: Bool = false)
    case local(path: String)

    /// For messages, and the Host field.
    var name: String {
        switch self {
        case .tcp(let host, let port, _): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .local(let path): "unix:\(path)"
        }
    }
}

/// Why a daemon is not healthy, to stand after its name.
struct ProbeFailure: Error, Equatable {
    let reason: String
    /// Whether nobody listens there, so that another address may be tried.
    var isRefused = false
}

/// Asks `GET /healthz` once.
struct HealthProbe {
    let target: ProbeTarget
    private let deadline: ContinuousClock.Instant

    /// `time` holds for everything but the look-up of a host's name.
    init(_ target: ProbeTarget, within time: Duration) {
        self.target = target
        deadline = .now + time
    }

    /// Returns what a healthy daemon says of itself; throws the reason where the answer is not 200, or there is none. Blocks.
    func run() throws(ProbeFailure) -> HealthReport {
        let descriptor = try connected()
        defer { close(descriptor) }
        let request = "GET /healthz HTTP/1.1\r\nHost: \(hostField)\r\nConnection: close\r\n\r\n"
        let answer = String(decoding: try ask(Array(request.utf8), on: descriptor), as: UTF8.self)
        let parts = answer.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, parts[0].hasPrefix("HTTP/1.") else {
            throw ProbeFailure(reason: answer.isEmpty ? "closed the connection without an answer" : "does not speak HTTP")
        }
        let end = answer.utf8.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? answer.endIndex
        if parts[1] != "200" { throw ProbeFailure(reason: "answers \(parts[1]): " + answer[end...].onOneLine) }
        return HealthReport(answer[end...])
    }

    private func ask(_ request: [UInt8], on descriptor: Int32) throws(ProbeFailure) -> [UInt8] {
        guard case .tcp(_, _, true) = target else {
            try send(request, to: descriptor)
            return try receive(from: descriptor)
        }
        let answer = try SecureQuestion(socket: descriptor)?.ask(request, limit: 65_536) { want throws(ProbeFailure) in
            try wait(for: want == .input ? POLLIN : POLLOUT, on: descriptor)
        }
        guard let answer else { throw ProbeFailure(reason: "does not speak TLS") }
        return answer
    }

    private var hostField: String {
        switch target {
        case .tcp: target.name
        case .local: "localhost"
        }
    }

    private func connected() throws(ProbeFailure) -> Int32 {
        switch target {
        case .local(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
                throw ProbeFailure(reason: "is too long for a socket's path")
            }
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            // The address is alive for the call and as long as said.
            return try unsafe withUnsafePointer(to: &address) { pointer throws(ProbeFailure) in
                try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(ProbeFailure) in
                    try unsafe connect(AF_UNIX, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        case .tcp(let host, let port, _):
            var hints = unsafe addrinfo()
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0, let first = unsafe found else {
                throw ProbeFailure(reason: "is a host that nobody knows")
            }
            defer { unsafe freeaddrinfo(found) }
            return try unsafe connect(first.pointee.ai_family, first.pointee.ai_addr, first.pointee.ai_addrlen)
        }
    }

    private func connect(
        _ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) throws(ProbeFailure) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw failure(errno) }
        do throws(ProbeFailure) {
            if unsafe Glibc.connect(descriptor, address, length) != 0 {
                guard errno == EINPROGRESS else { throw failure(errno) }
                try wait(for: POLLOUT, on: descriptor)
                var code: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
                if code != 0 { throw failure(code) }
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private func send(_ bytes: [UInt8], to descriptor: Int32) throws(ProbeFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try wait(for: POLLOUT, on: descriptor)
            // The pointer lives only for the call.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EAGAIN && errno != EINTR { throw failure(errno) }
        }
    }

    /// Everything up to the end, or as much as is worth reading.
    private func receive(from descriptor: Int32) throws(ProbeFailure) -> [UInt8] {
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while answer.count < 65_536 {
            try wait(for: POLLIN, on: descriptor)
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { break }
            if count > 0 { answer += chunk[..<count] } else if errno != EAGAIN && errno != EINTR { throw failure(errno) }
        }
        return answer
    }

    private func wait(for event: Int32, on descriptor: Int32) throws(ProbeFailure) {
        while true {
            let left = deadline - .now
            guard left > .zero else { throw ProbeFailure(reason: "does not answer in time") }
            let milliseconds =
                Int32(left.components.seconds * 1_000) + Int32(left.components.attoseconds / 1_000_000_000_000_000)
            var poller = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            // Rounded up, so that the last millisecond is no busy loop.
            let count = unsafe poll(&poller, 1, milliseconds + 1)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw failure(errno) }
        }
    }

    private func failure(_ code: Int32) -> ProbeFailure {
        // The text is the library's and is copied at once.
        let reason = unsafe String(cString: strerror(code))
        return ProbeFailure(reason: "cannot be reached: \(reason)", isRefused: code == ECONNREFUSED)
    }
}
