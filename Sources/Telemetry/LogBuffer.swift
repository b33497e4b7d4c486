// The lines that wait to be written, and the one queue that writes them. Taking a line never waits for the descriptor: a
// terminal that was stopped or a pipe that nobody reads costs lines, not requests.
internal import Dispatch
internal import Glibc

/// A bounded queue of bytes in front of a file descriptor. Any thread.
final class LogBuffer: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Bytes taken and not yet written: those waiting and those in the hands of the queue.
        var held = 0
        var dropped = 0
        /// Whether the descriptor refused the last write.
        var hasFailed = false
        /// Whether the queue is at work or about to be.
        var isDraining = false
    }

    /// A second of a busy access log, and no more than a server can spare.
    static let limit = 1 << 20

    private let descriptor: Int32
    private let limit: Int
    private let reportDropped: @Sendable (Int) -> [UInt8]
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "shorty.log", qos: .utility)

    /// Writes to `descriptor`, which stays the caller's. `reportDropped` makes the line that says how many were dropped.
    init(descriptor: Int32, limit: Int = LogBuffer.limit, reportDropped: @escaping @Sendable (Int) -> [UInt8]) {
        self.descriptor = descriptor
        self.limit = limit
        self.reportDropped = reportDropped
    }

    /// Takes one line, or counts it as dropped where it does not fit any more. Never blocks.
    func add(_ line: [UInt8]) {
        let mustStart = state.withLock { state in
            guard state.held + line.count <= limit else {
                state.dropped += 1
                return false
            }
            state.waiting.append(contentsOf: line)
            state.held += line.count
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustStart { queue.async { self.drain() } }
    }

    /// Waits until all that was taken before is written, `seconds` at most; false if that was not enough.
    func flush(within seconds: Double) -> Bool {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        return done.wait(timeout: .now() + seconds) == .success
    }

    private func drain() {
        while let (chunk, dropped) = next() {
            // What was dropped came after what was waiting.
            let isWritten = write(chunk) && (dropped == 0 || write(reportDropped(dropped)))
            state.withLock { state in
                state.held -= chunk.count
                state.hasFailed = !isWritten
                if !isWritten { state.dropped += dropped + chunk.count { $0 == 0x0A } }
            }
        }
    }

    /// What is to be written now; nil, and the next line starts the queue again, where there is nothing. A descriptor that
    /// failed is tried again with the next line, not before.
    private func next() -> (chunk: [UInt8], dropped: Int)? {
        state.withLock { state in
            guard !state.waiting.isEmpty || (state.dropped > 0 && !state.hasFailed) else {
                state.isDraining = false
                return nil
            }
            defer {
                state.waiting = []
                state.dropped = 0
            }
            return (state.waiting, state.dropped)
        }
    }

    /// Writes all of it; false where the descriptor does not take it.
    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // The pointer lives only for the call.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EINTR {
                continue
            } else if count < 0, errno == EAGAIN {
                // Standard error may be a non-blocking descriptor that this process shares with another.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&waiting, 1, -1)
            } else {
                return false
            }
        }
        return true
    }
}
