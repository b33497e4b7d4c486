// A listening socket. It only takes connections; what becomes of them is the loops' business.
internal import CLinux
internal import Glibc

/// Where to listen.
package enum SocketAddress: Sendable, Equatable {
    /// Both families on one port, IPv4 alone where IPv6 is off.
    case anyAddress(port: UInt16)
    /// A numeric address or `localhost`, and a port; 0 lets the kernel choose.
    case address(host: String, port: UInt16)
    /// The path of a local socket.
    case local(path: String)
}

/// Why an endpoint cannot be listened on; `message` is a whole sentence for a person.
package struct ListenError: Error, Sendable {
    package let message: String
    /// Whether the machine does not have the address's family.
    let isMissingFamily: Bool

    init(message: String) {
        self.message = message
        isMissingFamily = false
    }
}

/// An open listening socket, closed with its last reference.
package final class Listener: Sendable {
    let descriptor: Int32
    /// As it is logged: `127.0.0.1:8080`, `[::]:8080`, `unix:/run/shorty.sock`.
    package let name: String
    /// The port in use; 0 for a local socket.
    package let port: UInt16
    /// Whether its connections speak TLS.
    package let isSecure: Bool
    /// Whether connections begin with the PROXY protocol's header.
    package let hasPreface: Bool
    private let path: String?

    /// Opens the endpoint; fails with a sentence that names it.
    package init(
        _ endpoint: SocketAddress, isSecure: Bool = false, hasPreface: Bool = false
    ) throws(ListenError) {
        self.isSecure = isSecure
        self.hasPreface = hasPreface
        switch endpoint {
        case .local(let path):
            descriptor = try Self.openLocal(path)
            name = "unix:\(path)"
            port = 0
            self.path = path
        case .anyAddress(let port):
            let opened: Int32
            do throws(ListenError) {
                opened = try Self.openAddress("::", port, name: "[::]:\(port)", bothFamilies: true)
            } catch  where error.isMissingFamily {
                opened = try Self.openAddress("0.0.0.0", port, name: "0.0.0.0:\(port)", bothFamilies: false)
            }
            descriptor = opened
            path = nil
            self.port = Self.boundPort(opened)
            name = Self.boundName(opened)
        case .address(let host, let port):
            descriptor = try Self.openAddress(
                host, port, name: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)", bothFamilies: false)
            path = nil
            self.port = Self.boundPort(descriptor)
            name = Self.boundName(descriptor)
        }
    }

    deinit { close(descriptor) }

    /// Takes a local socket's name out of the file system, so that nobody connects to a program that is gone.
    func removeName() {
        if let path { unsafe unlink(path) }
    }

    /// What the kernel takes over of an answer beyond what is on its way to the client, in bytes. Without a bound it takes what
    /// tcp_wmem allows, megabytes for every client that does not read (Linux, ip-sysctl, tcp_notsent_lowat).
    private static let mostUnsent: Int32 = 128 << 10

    private static func openAddress(
        _ host: String, _ port: UInt16, name: String, bothFamilies: Bool
    ) throws(ListenError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | (host == "localhost" ? 0 : AI_NUMERICHOST)
        var found: UnsafeMutablePointer<addrinfo>?
        let outcome = unsafe getaddrinfo(host, String(port), &hints, &found)
        guard outcome == 0, let address = unsafe found else {
            throw ListenError(
                message: "\(name) is not an address to listen on: write it like 127.0.0.1:8080 or [::1]:8080.")
        }
        defer { unsafe freeaddrinfo(found) }
        let descriptor = unsafe socket(address.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw ListenError(name, errno) }
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // Connections inherit these.
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, mostUnsent)
        CongestionControl.beginWithReno(descriptor)
        if unsafe address.pointee.ai_family == AF_INET6 {
            setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, bothFamilies ? 0 : 1)
        }
        guard unsafe bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            listen(descriptor, backlog) == 0
        else {
            let code = errno
            close(descriptor)
            throw ListenError(name, code)
        }
        return descriptor
    }

    private static func openLocal(_ path: String) throws(ListenError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else {
            throw ListenError(message: "unix:\(path) is too long: a socket's path has at most \(capacity - 1) bytes.")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw ListenError("unix:\(path)", errno) }
        var code = bindLocal(descriptor, &address)
        if code == EADDRINUSE, isSocket(path), isAbandoned(&address) {
            // Left by a program that was killed: nobody listens behind it.
            unsafe unlink(path)
            code = bindLocal(descriptor, &address)
        }
        if code == 0, listen(descriptor, backlog) != 0 { code = errno }
        guard code == 0 else {
            close(descriptor)
            throw ListenError("unix:\(path)", code)
        }
        return descriptor
    }

    private static func bindLocal(_ descriptor: Int32, _ address: inout sockaddr_un) -> Int32 {
        unsafe withSocketAddress(&address) { unsafe bind(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    /// Whether the name is a socket's. A file that somebody named by mistake is not to be deleted.
    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Whether nobody listens behind a socket's name: it refuses. A full queue or a missing permission say no such thing.
    private static func isAbandoned(_ address: inout sockaddr_un) -> Bool {
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        return unsafe withSocketAddress(&address) { unsafe connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        // sockaddr_un begins as sockaddr does; the kernel reads the family first.
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static let flags = LINUX_SOCK_NONBLOCK | LINUX_SOCK_CLOEXEC
    /// The kernel cuts it to net.core.somaxconn.
    static let backlog: Int32 = 4096

    private static func boundAddress(_ descriptor: Int32) -> sockaddr_storage {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        return storage
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16 {
        var storage = boundAddress(descriptor)
        // In both families the port stands behind the 2 bytes of the family, in network order.
        return unsafe withUnsafeBytes(of: &storage) {
            UInt16(bigEndian: unsafe $0.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private static func boundName(_ descriptor: Int32) -> String {
        let host = ClientAddress(boundAddress(descriptor)).text
        return host.contains(":") ? "[\(host)]:\(boundPort(descriptor))" : "\(host):\(boundPort(descriptor))"
    }
}

extension ListenError {
    init(_ name: String, _ code: Int32) {
        let what = unsafe String(cString: strerror(code))
        switch code {
        case EADDRINUSE where name.hasPrefix("unix:"):
            message = "Cannot listen on \(name): another program has it, or it is no socket. Choose another name."
        case EADDRINUSE: message = "Cannot listen on \(name): another program has it. Stop that one, or choose another."
        case EACCES:
            message = "Cannot listen on \(name): not permitted. Ports below 1024 need CAP_NET_BIND_SERVICE."
        default: message = "Cannot listen on \(name): \(what)."
        }
        isMissingFamily = code == EAFNOSUPPORT || code == EADDRNOTAVAIL
    }
}

/// Sets an integer option; a kernel that does not know it is no reason to stop.
func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}
