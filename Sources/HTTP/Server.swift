// The server as a whole: its listeners, its loops and their threads. Everything above it sees only this and a handler.
internal import CLinux
internal import Glibc
internal import Dispatch
package import Telemetry

/// An HTTP/1.1 server. `start` and `stop` may be called from any thread, each once.
package final class Server: Sendable {
    /// What it listens on, for the log.
    package let listeners: [Listener]
    private let loops: [EventLoop]
    private let deputy: Deputy
    private let limit: Int
    private let stopped = DispatchGroup()

    /// Number of CPUs that this process may run on: a good number of loops.
    package static var usableCPUs: Int { Int(linux_usable_cpus()) }

    /// Makes `loops` (at least 1) event loops. Throws when the kernel gives no descriptors.
    package init(
        listeners: [Listener], loops count: Int, options: ServerOptions, log: Log
    ) throws(SocketError) {
        self.listeners = listeners
        limit = options.limits.connections
        let perClient = options.limits.connectionsPerClient
        let census = perClient > 0 ? ClientCensus(limit: perClient, exempting: options.proxies) : nil
        let heldContent = HeldContent(options.limits)
        var loops: [EventLoop] = []
        for _ in 0..<max(1, count) {
            loops.append(try EventLoop(options, census: census, heldContent: heldContent, log: log))
        }
        self.loops = loops
        deputy = try Deputy(loops)
    }

    /// Starts serving. `makeHandler` is called once a loop, before its thread runs.
    package func start(makeHandler: (EventLoop) -> any RequestHandler) {
        let hasDeputy = startThread { [deputy] in deputy.run() }
        for loop in loops {
            let acceptor = Acceptor(listeners: listeners, loops: loops, limit: limit)
            loop.prepare(handler: makeHandler(loop), acceptor: acceptor, deputy: hasDeputy ? deputy : nil)
        }
        for loop in loops {
            stopped.enter()
            _ = startThread { [stopped] in
                loop.run()
                stopped.leave()
            }
        }
    }

    /// Stops accepting, lets running requests finish for at most `patience`, and returns when every loop has ended.
    package func stop(within patience: Duration) {
        for listener in listeners { listener.removeName() }
        for loop in loops { loop.send(.stop(within: patience)) }
        stopped.wait()
        deputy.stop()
    }
}

/// Runs `body` on a new thread of its own; false where the system gives none.
private func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    let box = unsafe Unmanaged.passRetained(ThreadBody(body))
    // The box is retained for the thread, which takes it over.
    let failure = unsafe pthread_create(
        &thread, nil,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            }
            return nil
        }, box.toOpaque())
    guard failure == 0 else {
        unsafe box.release()
        return false
    }
    pthread_detach(thread)
    return true
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
