// Errands: work that may block, done by a loop's own thread between two turns, where nothing else waits for that thread. The
// deputy serves the loop meanwhile. To wake another thread instead, and be woken by it, would take a good part of the time in which
// an added link is on a fast disk.
internal import CLinux
internal import Synchronization

/// Work for the end of a turn. With true it is done here and now, and may block; with false the thread has no time for it, and
/// whoever made it has it done elsewhere, without blocking.
package typealias Errand = @Sendable (_ mayBlock: Bool) -> Void

extension EventLoop {
    /// The loop whose turn the calling thread runs.
    static let served = ThreadNote()
    /// The loop that has sent the calling thread, its own, on an errand.
    static let sender = ThreadNote()

    /// For how long a loop that is back from an errand looks for the next request before it sleeps, in nanoseconds: somebody who adds
    /// one link after the other on the same machine sends it within that. None where the client would have to wait for the processor.
    private static let awake: UInt64 = linux_usable_cpus() > 1 ? 100_000 : 0

    /// For so long after the deputy had to stand in, in nanoseconds, the loop goes on no errands: to change threads for each costs more
    /// than to have them done elsewhere.
    private static let crowdPatience: UInt64 = 50_000_000

    /// Leaves work to the end of the turn that the calling thread runs. False, and the work is not taken, where it runs none, or is
    /// the deputy, or where others are likely to wait for it.
    package static func leaveToTurnsEnd(_ errand: @escaping Errand) -> Bool {
        guard let loop = served.loop, loop.mayLeave else { return false }
        loop.errand = errand
        return true
    }

    /// Whether the turn's only event is at hand, and nothing else is likely to come during an errand.
    private var mayLeave: Bool {
        errand == nil && turnSize <= 1 && now >= crowdedUntil && load.load(ordering: .relaxed) <= mostCovered
    }

    /// Does what the turn has left. Returns whether this thread was away. On the loop's own thread.
    func runErrands(_ handler: any RequestHandler) -> Bool {
        var wasAway = false
        // An answer that an errand brings lets its connection's next request in, which may leave another.
        while let errand = takeErrand() {
            guard let deputy, deputy.cover(self) else {
                errand(false)
                continue
            }
            (Self.served.loop, Self.sender.loop) = (nil, self)
            helm.leave()
            errand(true)
            helm.retake()
            (Self.served.loop, Self.sender.loop) = (self, nil)
            beginTurn()
            readMailbox()
            endTurn(handler)
            // Behind the answer, since no client waits for it. What comes in between wakes the deputy in vain, for as long as a turn.
            deputy.uncover(self)
            wasAway = true
        }
        return wasAway
    }

    /// The number of events, or 0 after a short while without any.
    func pollAwake() -> Int {
        let end = linux_monotonic_nanoseconds() + Self.awake
        repeat {
            let count = poller.wait(milliseconds: 0)
            if count > 0 { return count }
        } while linux_monotonic_nanoseconds() < end
        return 0
    }

    /// A turn by the deputy, if the loop's own thread is on an errand.
    func standIn() {
        guard helm.take() else { return }
        if let handler {
            let count = poller.wait(milliseconds: 0)
            if count > 0 { crowdedUntil = linux_coarse_nanoseconds() + Self.crowdPatience }
            Self.served.loop = self
            turn(count, handler)
            // Of a turn with nothing in it.
            takeErrand()?(false)
            Self.served.loop = nil
        }
        helm.giveBack()
    }

    private func takeErrand() -> Errand? {
        defer { errand = nil }
        return errand
    }
}
