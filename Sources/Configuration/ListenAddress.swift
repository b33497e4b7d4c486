// Where a daemon listens, as a person writes it. Whether the machine has such an address is found out when it is opened.
internal import Glibc

/// An address to listen on.
package enum ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// All addresses of the machine, of both families.
    case any(port: UInt16)
    /// A numeric address without brackets, or `localhost`. Port 0 lets the system choose.
    case address(host: String, port: UInt16)
    /// The path of a local socket, at most 107 bytes (unix(7)).
    case local(path: String)

    /// Examples of what is understood.
    package static let allowed =
        #""127.0.0.1:8080", "[::1]:8080", ":8080" (every address) or "unix:/run/shorty/shorty.sock""#

    /// Reads one address; nil where it is none.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
            self = .local(path: path)
            return
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        let host = text[..<colon]
        switch host {
        case "", "*": self = .any(port: port)
        case "localhost": self = .address(host: "localhost", port: port)
        case _ where host.hasPrefix("[") && host.hasSuffix("]"):
            let inner = String(host.dropFirst().dropLast())
            guard Self.isNumeric(inner, AF_INET6) else { return nil }
            self = .address(host: inner, port: port)
        default:
            guard Self.isNumeric(String(host), AF_INET) else { return nil }
            self = .address(host: String(host), port: port)
        }
    }

    /// Whether only this machine reaches it.
    package var isLocal: Bool {
        switch self {
        case .any: false
        case .local: true
        case .address(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
        }
    }

    package var description: String {
        switch self {
        case .any(let port): ":\(port)"
        case .address(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .local(let path): "unix:\(path)"
        }
    }

    /// inet_pton(3) decides; a link-local address may name its interface.
    private static func isNumeric(_ text: String, _ family: Int32) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard family == AF_INET6 || parts.count == 1, let address = parts.first, parts.last != "" else { return false }
        // Room for the larger family; the pointers live only for the call.
        var room = in6_addr()
        return unsafe inet_pton(family, String(address), &room) == 1 && !text.utf8.contains(0)
    }
}
