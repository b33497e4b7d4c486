// Which of its congestion controls TCP uses for a connection. Most answers are smaller than what a connection may send before it
// has heard anything of the way there, so control has nothing to do; but BBR models the way, and takes note of each segment all
// the same: some 2 % of a redirect. So where the system is set to BBR, connections begin with Reno, which every kernel has, and get
// BBR with the first answer that is larger, or of unknown length.
internal import CLinux
internal import Glibc

enum CongestionControl {
    /// What may be under way at first, in bytes: ten segments (RFC 6928).
    static let firstWindow = 14_600

    /// BBR by its full name, where the system was set to it when this was first asked for, and lets this process have it back.
    /// Nil for any other: those cost little, and some are agreed on when a connection begins.
    static let bbr: [CChar]? = {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | LINUX_SOCK_CLOEXEC, 0)
        defer { close(probe) }
        guard let name = name(probe), unsafe strncmp(name, "bbr", 3) == 0 else { return nil }
        return set(reno, probe) && set(name, probe) ? name : nil
    }()

    private static let reno = Array("reno".utf8CString)

    /// Has a listener's connections begin with Reno, where they can have BBR later.
    static func beginWithReno(_ listener: Int32) {
        if bbr != nil { _ = set(reno, listener) }
    }

    /// Gives a connection BBR that has begun with Reno; but not where a route or a program of the kernel's has chosen for it.
    static func endReno(_ connection: Int32) {
        guard let bbr, let name = name(connection), unsafe strcmp(name, reno) == 0 else { return }
        _ = set(bbr, connection)
    }

    /// What a socket uses, ending in a zero; nil where it is none of TCP's.
    static func name(_ socket: Int32) -> [CChar]? {
        // 16 is the kernel's TCP_CA_NAME_MAX, with the zero (tcp(7), TCP_CONGESTION).
        var name = [CChar](repeating: 0, count: 17)
        var length = socklen_t(16)
        return unsafe getsockopt(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &length) == 0 ? name : nil
    }

    private static func set(_ name: [CChar], _ socket: Int32) -> Bool {
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, name, socklen_t(strlen(name))) == 0
    }
}
