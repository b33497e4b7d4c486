// Who may touch a loop's state: its own thread, and while that is on an errand the deputy, a turn at a time.
//
//   own ──leave──► nobody ──take──► deputy ──giveBack──► nobody
//    ▲               │                 │ retake
//    └────retake─────┘                 ▼
//    ▲                             awaited ──giveBack──► own
//    └──────────────────────────────────────────────────┘
internal import Dispatch
internal import Telemetry

/// One loop's helm. What a holder has done is seen by the next.
final class Helm: Sendable {
    private enum Holder { case own, nobody, deputy, awaited }

    private let holder = Lock(Holder.own)
    private let handedOver = DispatchSemaphore(value: 0)

    /// The loop's own thread goes.
    func leave() { holder.withLock { $0 = .nobody } }

    /// The loop's own thread is back. Waits for the end of the deputy's turn.
    func retake() {
        let waits = holder.withLock { holder in
            holder = if case .deputy = holder { .awaited } else { .own }
            return holder == .awaited
        }
        if waits { handedOver.wait() }
    }

    /// The deputy begins a turn; false where the loop's own thread has the helm.
    func take() -> Bool {
        holder.withLock { holder in
            guard holder == .nobody else { return false }
            holder = .deputy
            return true
        }
    }

    /// The deputy has ended its turn.
    func giveBack() {
        let isAwaited = holder.withLock { holder in
            let isAwaited = holder == .awaited
            holder = isAwaited ? .own : .nobody
            return isAwaited
        }
        if isAwaited { handedOver.signal() }
    }
}
