// A raw connection to a daemon: bytes out, bytes in. It sends exactly what it is told to, however wrong that is.
internal import Foundation
internal import Glibc

/// Where a daemon listens.
enum Place: Sendable {
    case ipv4(UInt16)
    case ipv6(UInt16)
    case local(String)

    /// Whether [::1] is there: proc(5) lists it in hex, and not where IPv6 is missing or switched off.
    static var hasIPv6: Bool {
        let addresses = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)) ?? ""
        return addresses.contains(String(repeating: "0", count: 31) + "1 ")
    }
}

extension Trouble {
    /// A read has waited its time.
    static let nothingCame = Trouble("no bytes came in time")
}

/// One connection; closed with its last reference. One thread at a time.
final class Wire: @unchecked Sendable {
    // Sendable by hand: tests hand it from thread to thread, never share it.
    let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects. Every later read or write fails after `patience` seconds without progress. With a `receiveBuffer`, in bytes, the
    /// kernel keeps little more than that for who does not read (socket(7)); by itself it keeps up to tcp_rmem's megabytes.
    init(_ place: Place, patience: Int = 20, receiveBuffer: Int32? = nil) throws {
        let family =
            switch place {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .local: AF_UNIX
            }
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Trouble("no socket: \(errno)") }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        if var receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        guard Self.connect(descriptor, place) == 0 else {
            let code = errno
            // The descriptor is closed by deinit, which runs for an object whose properties are all set; closing it here too could
            // close somebody else's.
            throw Trouble("\(place) cannot be reached: \(unsafe String(cString: strerror(code)))")
        }
    }

    deinit { close(descriptor) }

    /// Sends all of it.
    func send(_ bytes: some Sequence<UInt8>) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            // The pointer lives only for the call.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Trouble("the peer takes no more: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ text: String) throws { try send(text.utf8) }

    /// Some bytes; none at the end of the connection.
    func read(_ limit: Int = 65_536) throws -> [UInt8] {
        if !received.isEmpty {
            defer { received.removeFirst(min(limit, received.count)) }
            return Array(received.prefix(limit))
        }
        var chunk = [UInt8](repeating: 0, count: limit)
        let count = unsafe recv(descriptor, &chunk, limit, 0)
        guard count >= 0 else {
            throw errno == EAGAIN ? Trouble.nothingCame : Trouble("reading failed: errno \(errno)")
        }
        return Array(chunk.prefix(count))
    }

    /// Everything up to the end of the connection.
    func readToEnd() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try read()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    /// The next answer. `toHead` where it answers a HEAD.
    func reply(toHead: Bool = false) throws -> Reply {
        let head = try takeThrough([13, 10, 13, 10], "an answer's head")
        var reply = try Reply(head: head.dropLast(4))
        if toHead || reply.status < 200 || reply.status == 204 || reply.status == 304 { return reply }
        if reply["Transfer-Encoding"] == "chunked" {
            reply.body = try chunks()
        } else if let length = reply["Content-Length"].flatMap({ Int($0) }) {
            reply.body = try take(length)
        } else {
            reply.body = try readToEnd()
        }
        return reply
    }

    private func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = String(decoding: try takeThrough([13, 10], "a chunk's size").dropLast(2), as: UTF8.self)
            guard let size = Int(line, radix: 16) else { throw Trouble("not a chunk's size: \(line)") }
            body += try take(size)
            _ = try take(2)
            if size == 0 { return body }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while received.count < count { try receiveMore("\(count) bytes") }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private func takeThrough(_ mark: [UInt8], _ what: String) throws -> [UInt8] {
        while true {
            if let range = received.firstRange(of: mark) { return try take(range.upperBound) }
            try receiveMore(what)
        }
    }

    private func receiveMore(_ what: String) throws {
        let held = received
        received = []
        let more = try read()
        guard !more.isEmpty else {
            throw Trouble(
                "the connection ended before \(what); it brought: \(String(decoding: held.prefix(300), as: UTF8.self))")
        }
        received = held + more
    }

    private static func connect(_ descriptor: Int32, _ place: Place) -> Int32 {
        switch place {
        case .ipv4(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            return connect(descriptor, &address)
        case .ipv6(let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return connect(descriptor, &address)
        case .local(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            return connect(descriptor, &address)
        }
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        // Every kind of socket address begins as sockaddr does, and lives for the call.
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
