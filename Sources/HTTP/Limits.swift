// Every bound that the server puts on a client, in one place.

/// Sizes in bytes, times as `Duration`s. The defaults are the documented ones.
package struct Limits: Sendable {
    /// Method, target and version. RFC 9112 §3 recommends at least 8,000 bytes; twice that leaves room for a long URL of
    /// 8,000 bytes with half of it escaped. Longer is 414.
    package var requestLine = 16 * 1024
    /// All header fields together. Browsers send below 16 KiB with full cookies. More is 431.
    package var headerBlock = 32 * 1024
    /// Number of header fields. Apache's default too. More is 431.
    package var headerFields = 100
    /// A request's content, unpacked. The largest documented request is an add of 8 kB. More is 413.
    package var body = 1024 * 1024
    /// What is held of requests whose content is still coming, in all loops, beyond 8 KiB of each; at least four times `body`. More
    /// is 503.
    package var contentTogether = 64 * 1024 * 1024
    /// All chunk extensions of one body together; nobody uses them, so more is an attack (RFC 9112 §7.1.1).
    package var chunkExtensions = 4096
    /// From the first byte of a request to the end of its head, and from connecting to the first request; 408.
    package var headTime: Duration = .seconds(10)
    /// From the end of the head until `bodyRate` is asked for; 408.
    package var bodyTime: Duration = .seconds(20)
    /// After `bodyTime`, content must have come at this many bytes a second on average; slow readers are held to it too.
    package var bodyRate = 1024
    /// A kept-open connection without a request is closed after this.
    package var idleTime: Duration = .seconds(30)
    /// Open connections in all loops; one more is answered 503 and closed.
    package var connections = 10_000
    /// Open connections of one client, by its site, in all loops; one more is answered 503 and closed. 0 is no limit.
    package var connectionsPerClient = 0

    package init() {}

    /// A fault's reason and, where a limit is at its root, how much would have been allowed.
    func text(of fault: RequestFault) -> String {
        switch fault.status {
        case .contentTooLarge: "\(fault.reason) At most \(body) bytes are allowed."
        case .uriTooLong: "\(fault.reason) At most \(requestLine) bytes are allowed."
        case .requestHeaderFieldsTooLarge:
            "\(fault.reason) At most \(headerFields) of them are allowed, and \(headerBlock) bytes."
        default: "\(fault.reason)"
        }
    }
}
