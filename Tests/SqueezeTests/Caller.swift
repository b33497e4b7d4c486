// A raw connection, so that requests go out byte for byte as a client sends them and answers are seen as they are.
import Foundation

/// The fields that a kind of client sends beside Host.
enum Client {
    /// NSURLSession of an iPhone app of 2014.
    case phone
    /// URLSession of Swift on Linux.
    case linuxSession

    func get(_ target: String) -> String { request("GET", target) }

    func request(_ method: String, _ target: String) -> String {
        let fields =
            switch self {
            case .phone:
                [
                    "User-Agent: Shorty/1 CFNetwork/711.1.16 Darwin/14.0.0", "Accept: */*", "Accept-Language: en-us",
                    "Accept-Encoding: gzip, deflate", "Connection: keep-alive",
                ]
            case .linuxSession:
                [
                    "Accept: */*", "Accept-Encoding: deflate, gzip, br, zstd", "Connection: keep-alive",
                    "User-Agent: cl (unknown version) curl/7.88.1", "Accept-Language: en",
                ]
            }
        return (["\(method) \(target) HTTP/1.1", "Host: api.x.co"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }
}

/// An answer's status, fields (names in lower case) and content.
struct Reply {
    let status: Int
    let fields: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// One connection.
final class Caller {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // connect(2) reads `size` bytes of what is a sockaddr_in.
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        guard outcome == 0 else { throw Broken(what: "connect: \(errno)") }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func ask(_ request: String) throws -> Reply {
        try send(request)
        return try receive(hasContent: !request.hasPrefix("HEAD "))
    }

    func send(_ request: String) throws {
        var rest = Array(request.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw Broken(what: "send: \(errno)") }
            rest.removeFirst(count)
        }
    }

    /// The next answer. It must say its length: clients are promised that it does.
    func receive(hasContent: Bool = true) throws -> Reply {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { bytes += try some(1) }
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        guard let status = Int(lines[0].split(separator: " ")[1]),
            let length = fields["content-length"].flatMap({ Int($0) })
        else { throw Broken(what: lines.joined(separator: "\n")) }
        var body: [UInt8] = []
        while hasContent, body.count < length { body += try some(length - body.count) }
        return Reply(status: status, fields: fields, body: body)
    }

    private func some(_ limit: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw Broken(what: "recv: \(count), \(errno)") }
        return Array(buffer.prefix(count))
    }

    struct Broken: Error {
        let what: String
    }
}
