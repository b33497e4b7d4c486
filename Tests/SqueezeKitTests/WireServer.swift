// A server for tests that speaks raw bytes: it keeps every request head as it came and answers with bytes that a test
// chose, so that nothing between the client and the wire is taken on trust.
import Foundation
import Glibc

/// Listens on 127.0.0.1 from its making until it goes.
///
/// Unchecked: the variables are reached under `lock` only.
final class WireServer: @unchecked Sendable {
    enum Reply {
        /// A whole answer with its length, on a connection that stays.
        case answer(Int, String)
        /// These bytes and no more, on a connection that is then closed.
        case bytes(String)
        /// Nothing, until the client hangs up.
        case silence
        /// A head that promises much, then a byte each 50 ms, until the client hangs up.
        case drip
    }

    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var heads: [String] = []
    private var connectionCount = 0
    private var hangUpCount = 0

    init(_ reply: @escaping @Sendable (_ head: String) -> Reply) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        // Unsafe: the kernel reads and writes one sockaddr_in, whose size it is told.
        let isListening = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            defer { Glibc.close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let server = self else {
                    Glibc.close(connection)
                    return
                }
                server.note { server.connectionCount += 1 }
                Thread.detachNewThread { [weak server] in
                    Self.serve(connection, reply) { head in server?.note { server?.heads.append(head) } }
                    server?.note { server?.hangUpCount += 1 }
                }
            }
        }
    }

    deinit {
        // Wakes the thread in accept, which closes it: closed here, its number could be another server's before the thread
        // has noticed.
        _ = Glibc.shutdown(listener, Int32(SHUT_RDWR))
    }

    var address: String { "http://127.0.0.1:\(port)" }
    /// Request heads in the order in which they came, with their line ends.
    var requests: [String] { lock.withLock { heads } }
    var connections: Int { lock.withLock { connectionCount } }

    /// Whether as many connections have ended within 5 s.
    func waitForHangUps(_ count: Int) async throws -> Bool { try await wait { self.hangUpCount >= count } }
    /// Whether as many requests have come within 5 s.
    func waitForRequests(_ count: Int) async throws -> Bool { try await wait { self.heads.count >= count } }

    // By looking again and again: a blocked thread is one that the client under test may need.
    private func wait(_ isTrue: () -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(5)
        while !lock.withLock(isTrue) {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    private func note(_ change: () -> Void) {
        lock.withLock(change)
    }

    private static func serve(_ connection: Int32, _ reply: (String) -> Reply, _ note: (String) -> Void) {
        defer { Glibc.close(connection) }
        var buffer: [UInt8] = []
        while true {
            guard let end = headEnd(buffer) else {
                guard receive(connection, &buffer) else { return }
                continue
            }
            let head = String(decoding: buffer[..<end], as: UTF8.self)
            buffer.removeFirst(end)
            let answer = reply(head)
            note(head)
            switch answer {
            case .answer(let status, let body):
                let head = "HTTP/1.1 \(status) X\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                guard transmit(connection, head + body) else { return }
            case .bytes(let text):
                _ = transmit(connection, text)
                return
            case .silence:
                while receive(connection, &buffer) {}
                return
            case .drip:
                guard transmit(connection, "HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n") else { return }
                while transmit(connection, "h") { usleep(50_000) }
                return
            }
        }
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }

    private static func receive(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // Unsafe: the kernel writes at most as many bytes as the array has.
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(connection, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    private static func transmit(_ connection: Int32, _ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // Unsafe: the kernel reads as many bytes as the slice has. MSG_NOSIGNAL: a client that has gone is no signal.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            bytes.removeFirst(count)
        }
        return true
    }
}
