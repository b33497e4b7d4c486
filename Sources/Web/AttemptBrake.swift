// Slows down whoever guesses keys: so many wrong ones a minute from one address, and no more are looked at. A right key is
// never braked, and nothing else is either. Runs on the monotonic clock, so setting the clock neither opens nor shuts it.
internal import HTTP
internal import Telemetry

/// Counts wrong attempts by client. Any thread.
final class AttemptBrake: Sendable {
    private struct Window {
        var startedAt: ContinuousClock.Instant
        var attempts: Int
    }

    private static let length = Duration.seconds(60)
    /// Clients remembered at once, some 50 bytes each. A flood from more addresses than this makes all forgotten.
    private static let capacity = 100_000

    private let limit: Int
    private let windows = Lock<[ClientAddress: Window]>([:])

    /// `limit` wrong attempts a minute for each client address (IPv6: each /64).
    init(limit: Int) { self.limit = limit }

    /// Counts a wrong attempt. Nil while the client is under the limit, else how many seconds it must wait.
    func countWrong(_ client: ClientAddress, at now: ContinuousClock.Instant = .now) -> Int? {
        windows.withLock { windows in
            if windows.count >= Self.capacity { windows = windows.filter { now - $0.value.startedAt < Self.length } }
            if windows.count >= Self.capacity { windows.removeAll() }
            var window = windows[client.site] ?? Window(startedAt: now, attempts: 0)
            if now - window.startedAt >= Self.length { window = Window(startedAt: now, attempts: 0) }
            window.attempts += 1
            windows[client.site] = window
            guard window.attempts > limit else { return nil }
            let left = (Self.length - (now - window.startedAt)).components
            return max(1, Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0))
        }
    }

    /// Takes back one attempt that was counted before it was known not to be wrong.
    func takeBack(_ client: ClientAddress) {
        windows.withLock { windows in
            guard let attempts = windows[client.site]?.attempts, attempts > 0 else { return }
            windows[client.site]?.attempts = attempts - 1
        }
    }
}
