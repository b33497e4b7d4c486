// SIGTERM and SIGINT: the first asks the program to stop, a second ends it at once. They are blocked and waited for, not
// handled: a blocked signal is kept until somebody asks for it, also while the program starts, and also in process 1 of a
// container, where the kernel drops signals that have neither a handler nor a block (pid_namespaces(7)).
internal import Dispatch
internal import Glibc

/// Waits for signals that end the program.
struct StopSignals: Sendable {
    private let first = DispatchSemaphore(value: 0)

    /// Takes over SIGTERM and SIGINT; on the first thread, before there are others, since each inherits what is blocked.
    init() {
        // SIGPIPE would end the program when a client or a log reader leaves.
        signal(SIGPIPE, SIG_IGN)
        // SIGXFSZ would when the store reaches a limit on the size of files: that is a full disk, and its adds are refused.
        signal(SIGXFSZ, SIG_IGN)
        var awaited = sigset_t()
        unsafe sigemptyset(&awaited)
        unsafe sigaddset(&awaited, SIGTERM)
        unsafe sigaddset(&awaited, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &awaited, nil)
        DispatchQueue(label: "shorty.signals").async { [first, awaited] in
            var signals = awaited
            var number: Int32 = 0
            while unsafe sigwait(&signals, &number) != 0 {}
            first.signal()
            while unsafe sigwait(&signals, &number) != 0 {}
            _exit(128 + number)
        }
    }

    /// Blocks until the program is asked to stop.
    func wait() { first.wait() }
}
