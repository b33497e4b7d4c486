// How a server treats its clients.

/// What holds for every connection of a server.
package struct ServerOptions: Sendable {
    package var limits: Limits
    package var security = TransportSecurity()
    /// The proxies whose word about their clients is taken; none unless set.
    package var proxies = TrustedProxies([])
    /// Whether every answer gets a line in the log.
    package var logsAccess = false
    /// Connections up to which a loop goes on errands: when the kernel puts one epoll into another it looks at all that the other has.
    package var mostCovered = 128

    package init(limits: Limits = Limits()) { self.limits = limits }
}
