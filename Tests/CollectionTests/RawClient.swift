// A client that sends the bytes it is given and reads answers as they come, so that a test sees what an old app would.
import Foundation
import Glibc

struct Reply: Sendable {
    let status: Int
    /// Names in lower case.
    let fields: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(body)) }
    func object() throws -> [String: Any] { try json() as? [String: Any] ?? [:] }
}

struct ClientFault: Error {
    let message: String
}

/// One connection to a server on this machine. Waits at most 10 s for bytes.
final class RawClient {
    private let socket: Int32
    private var input: [UInt8] = []

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        // The pointers live only for their calls.
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw ClientFault(message: "no connection") }
    }

    deinit { close(socket) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads one answer.
    func reply(isHead: Bool = false) throws -> Reply {
        let head = try line(upTo: Array("\r\n\r\n".utf8))
        let lines = head.split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw ClientFault(message: "no status line in \(head)")
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        var body: [UInt8] = []
        if isHead || status == 304 || status == 204 {
            body = []
        } else if let length = fields["content-length"].flatMap({ Int($0) }) {
            body = try take(length)
        } else if fields["transfer-encoding"] == "chunked" {
            while let size = Int(try line(upTo: Array("\r\n".utf8)), radix: 16) {
                body += try take(size)
                _ = try line(upTo: Array("\r\n".utf8))
                if size == 0 { break }
            }
        }
        return Reply(status: status, fields: fields, body: body)
    }

    private func line(upTo end: [UInt8]) throws -> String {
        while true {
            if let at = input.indices.first(where: { input[$0...].starts(with: end) }) {
                defer { input.removeFirst(at + end.count) }
                return String(decoding: input[..<at], as: UTF8.self)
            }
            try receive()
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while input.count < count { try receive() }
        defer { input.removeFirst(count) }
        return Array(input[..<count])
    }

    /// Waits for more bytes; at most `limit` of them.
    func receive(limit: Int = 65536) throws {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw ClientFault(message: "the connection ended") }
        input += buffer[..<count]
    }
}
