// The thread that serves a loop while the loop's own is on an errand. It sleeps in an epoll of its own, which watches the epoll of
// each such loop (epoll(7): an epoll descriptor is readable when it has events), so that an errand during which nothing comes
// costs no change of thread, and redirects do not wait for one that takes long. At least four times a second it looks at all of
// them, so that time limits go on.
internal import CLinux
internal import Telemetry

/// One deputy for all loops of a server.
final class Deputy: Sendable {
    private let poller: Poller
    private let loops: [EventLoop]
    private let isStopping = Lock(false)

    /// Throws when the kernel gives no descriptors.
    init(_ loops: [EventLoop]) throws(SocketError) {
        self.loops = loops
        poller = try Poller()
    }

    /// Serves the loop whenever its own thread, which calls this, has left the helm. False where the kernel has no memory for that.
    func cover(_ loop: EventLoop) -> Bool { poller.add(loop.poller) }

    /// The loop's own thread is back, and has the helm. A turn that was under way then is over.
    func uncover(_ loop: EventLoop) { poller.remove(loop.poller) }

    /// Serves until `stop`. Called once, on the deputy's own thread.
    func run() {
        while !isStopping.withLock({ $0 }) {
            _ = poller.wait(milliseconds: 250)
            for loop in loops { loop.standIn() }
        }
    }

    /// Ends `run`, soon. From any thread.
    func stop() {
        isStopping.withLock { $0 = true }
        poller.wake()
    }
}
