// Which of its congestion controls TCP uses for a connection. Most answers are smaller than what a connection may send before it
// has heard anything of the way there, so no control ever has a say in them; but one that models the way, as BBR does, takes note
// of each segment all the same: some 3 % of a redirect. So connections begin with Reno, which every kernel has, and get what the
// system is set to with the first answer that is larger.
internal import CLinux
internal import Glibc

enum CongestionControl {
    /// What may be under way at first, in bytes: ten segments (RFC 6928).
    static let firstWindow = 14_600

    /// The system's, where that is another than Reno.
    static let ofSystem: [CChar]? = {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        guard let name = name(probe), unsafe strcmp(name, reno) != 0 else { return nil }
        return name
    }()

    private static let reno = Array("reno".utf8CString)

    /// Has a listener's connections begin with Reno. A kernel that does not want to is no reason to stop.
    static func simplify(_ listener: Int32) {
        if ofSystem != nil { use(reno, listener) }
    }

    /// Gives a connection what the system is set to.
    static func restore(_ connection: Int32) {
        if let ofSystem { use(ofSystem, connection) }
    }

    /// What a socket uses, ending in a zero; nil where it is none of TCP's.
    static func name(_ socket: Int32) -> [CChar]? {
        // 16 is the kernel's TCP_CA_NAME_MAX, with the zero (tcp(7), TCP_CONGESTION).
        var name = [CChar](repeating: 0, count: 17)
        var length = socklen_t(16)
        return unsafe getsockopt(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &length) == 0 ? name : nil
    }

    private static func use(_ name: [CChar], _ socket: Int32) {
        _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, name, socklen_t(strlen(name)))
    }
}
