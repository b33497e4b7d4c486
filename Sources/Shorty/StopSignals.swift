// SIGTERM and SIGINT, taken by Dispatch: the first asks the program to stop, a second ends it at once. Also as process 1 of
// a container, where the kernel ignores signals that nobody handles.
internal import Dispatch
internal import Glibc

/// Waits for signals that end the program.
struct StopSignals {
    private let first = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    /// Takes over SIGTERM and SIGINT; before anything is started that should be stopped in order.
    init() {
        // SIGPIPE would end the program when a client or a log reader leaves.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "shorty.signals")
        let count = Counter()
        sources = [SIGTERM, SIGINT].map { [first] number in
            // Dispatch sees a signal only where its default action is off (dispatch_source_create(3)).
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                count.value += Int(source.data)
                if count.value > 1 { _exit(128 + number) }
                first.signal()
            }
            source.activate()
            return source
        }
    }

    /// Blocks until the program is asked to stop.
    func wait() { first.wait() }

    /// Touched on the signals' queue only.
    private final class Counter: @unchecked Sendable {
        var value = 0
    }
}
