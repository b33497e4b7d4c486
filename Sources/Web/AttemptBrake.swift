// Slows down whoever guesses keys: so many wrong ones a minute from one address, and no more are looked at. A right key is
// never braked, and nothing else is either. Runs on the monotonic clock, so setting the clock neither opens nor shuts it.
internal import HTTP
internal import Telemetry

/// Counts wrong attempts by client. Any thread; holds a lock for a few look-ups.
final class AttemptBrake: Sendable {
    private struct Window {
        var startedAt: ContinuousClock.Instant
        var attempts: Int
    }

    /// Two generations of windows: when the newer one is full the older one is forgotten. So memory is bounded and no look-up
    /// ever walks over all.
    private struct Windows {
        var newer: [ClientAddress: Window] = [:]
        var older: [ClientAddress: Window] = [:]

        subscript(site: ClientAddress) -> Window? { newer[site] ?? older[site] }

        mutating func set(_ site: ClientAddress, _ window: Window) {
            if newer.count >= AttemptBrake.capacity, newer[site] == nil {
                older = newer
                newer = [:]
            }
            newer[site] = window
        }
    }

    private static let length = Duration.seconds(60)
    /// Clients in one generation, some 50 bytes each. Who guesses from more addresses than two generations hold within a minute
    /// is counted anew; against so many no limit by address helps.
    static let capacity = 50_000

    private let limit: Int
    private let windows = Lock(Windows())

    /// `limit` wrong attempts a minute for each client address (IPv6: each /64).
    init(limit: Int) { self.limit = limit }

    /// Counts a wrong attempt. Nil while the client is under the limit, else how many seconds it must wait.
    func countWrong(_ client: ClientAddress, at now: ContinuousClock.Instant = .now) -> Int? {
        let site = client.site
        return windows.withLock { windows in
            var window = windows[site] ?? Window(startedAt: now, attempts: 0)
            if now - window.startedAt >= Self.length { window = Window(startedAt: now, attempts: 0) }
            window.attempts += 1
            windows.set(site, window)
            guard window.attempts > limit else { return nil }
            let left = (Self.length - (now - window.startedAt)).components
            return max(1, Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0))
        }
    }

    /// Takes back one attempt that was counted before it was known not to be wrong.
    func takeBack(_ client: ClientAddress) {
        let site = client.site
        windows.withLock { windows in
            guard var window = windows[site], window.attempts > 0 else { return }
            window.attempts -= 1
            windows.set(site, window)
        }
    }

    /// Clients that are remembered; one may count twice.
    var size: Int { windows.withLock { $0.newer.count + $0.older.count } }
}
