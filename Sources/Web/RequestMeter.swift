// Counts requests by client as a bucket of tokens: full at first, one token a request, filled up evenly over the minute. It must not
// know what a request is. Runs on the monotonic clock, so setting the clock neither fills nor empties a bucket.
//
// A bucket is one number: when it will be full again. A client without one has a full bucket, so forgetting clients whose time has
// passed changes nothing.
package import HTTP
internal import Telemetry

/// The buckets of all clients. Any thread; holds a lock for two look-ups.
package final class RequestMeter: Sendable {
    /// Two generations of buckets: when the newer one is full the older one is forgotten. So memory is bounded and no look-up
    /// ever walks over all.
    private struct Buckets {
        var newer: [ClientAddress: ContinuousClock.Instant] = [:]
        var older: [ClientAddress: ContinuousClock.Instant] = [:]
    }

    private static let minute = Duration.seconds(60)
    /// Clients in one generation, some 50 bytes each. Who asks from more addresses than two generations hold within a minute gets
    /// full buckets again; against so many no limit by address helps.
    static let capacity = 50_000

    private let interval: Duration
    private let buckets = Lock(Buckets())

    /// `limit` (at least 1) requests a minute for each client address (IPv6: each /64), that many at once at most.
    package init(limit: Int) { interval = Self.minute / max(1, limit) }

    /// Counts a request. Nil while the client is within its limit, else how many seconds it must wait for one; a request that is
    /// refused takes no token. Local sockets are for programs of this machine and are not counted.
    package func count(_ client: ClientAddress, at now: ContinuousClock.Instant = .now) -> Int? {
        if client == .local { return nil }
        let site = client.site
        return buckets.withLock { buckets in
            let fullAt = max(buckets.newer[site] ?? buckets.older[site] ?? now, now) + interval
            let excess = fullAt - now - Self.minute
            guard excess <= .zero else {
                return Int(excess.components.seconds) + (excess.components.attoseconds > 0 ? 1 : 0)
            }
            if buckets.newer.count >= Self.capacity, buckets.newer[site] == nil {
                buckets.older = buckets.newer
                buckets.newer = [:]
            }
            buckets.newer[site] = fullAt
            return nil
        }
    }

    /// Clients that are remembered; one may count twice.
    var size: Int { buckets.withLock { $0.newer.count + $0.older.count } }
}
