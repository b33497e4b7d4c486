// How many connections each client has open, in all loops, where there is a limit on that. It must not know a connection.
internal import Telemetry

/// Counts open connections by site. Any thread. Holds one entry a client that is connected, so never more than there may be
/// connections.
final class ClientCensus: Sendable {
    /// The most connections of one client.
    let limit: Int
    private let proxies: TrustedProxies
    private let counts = Lock<[ClientAddress: Int]>([:])

    /// `proxies` bring the connections of many, and are not counted.
    init(limit: Int, exempting proxies: TrustedProxies) {
        self.limit = limit
        self.proxies = proxies
    }

    /// What counting one more connection came to.
    enum Admission: Equatable {
        /// Counted: `leave` is due when it is closed.
        case counted(ClientAddress)
        /// Not counted: a trusted proxy, or a program of this machine on a local socket.
        case exempt
        /// Not counted, for the client has as many as it may.
        case refused
    }

    func admit(_ client: ClientAddress) -> Admission {
        if client == .local || proxies.contains(client) { return .exempt }
        let site = client.site
        return counts.withLock { counts in
            let count = counts[site] ?? 0
            guard count < limit else { return .refused }
            counts[site] = count + 1
            return .counted(site)
        }
    }

    /// A connection that was counted is closed.
    func leave(_ site: ClientAddress) {
        counts.withLock { counts in
            guard let count = counts[site] else { return }
            counts[site] = count > 1 ? count - 1 : nil
        }
    }

    /// Clients that have connections open.
    var clients: Int { counts.withLock { $0.count } }
}
