// A stream read ahead: while the store works on some links, the next ones are merged on a queue of its own.
internal import Dispatch
internal import Shortening
internal import Telemetry

/// Gives a stream's links, some at a time. Used by one thread.
final class LinkFeed: @unchecked Sendable {
    // Sendable by hand: `stream` is touched on the queue only, and one filling at a time is asked for.

    private struct State: Sendable {
        /// Filled, and not given yet.
        var links = PackedLinks()
        var failure: TransferError?
    }

    private let portion: Int
    private var stream: LinkStream
    private let queue = DispatchQueue(label: "shorty.transfer.feed")
    private let isFilled = DispatchSemaphore(value: 0)
    private let state = Lock(State())

    /// `portion` is how many links are given at a time.
    init(_ stream: consuming LinkStream, portion: Int) {
        self.portion = portion
        self.stream = stream
        fill()
    }

    /// Takes the next links; none at the end, and then it must not be asked again. The memory of `links` is filled next.
    /// Throws where what was put aside cannot be read again.
    func next(_ links: inout PackedLinks) throws(TransferError) {
        isFilled.wait()
        let spare = links
        links = PackedLinks()
        let (filled, failure) = state.withLock { state in
            defer { state.links = spare }
            return (state.links, state.failure)
        }
        if let failure { throw failure }
        links = filled
        if !links.isEmpty { fill() }
    }

    private func fill() {
        queue.async { [self] in
            var links = state.withLock { state in
                defer { state.links = PackedLinks() }
                return state.links
            }
            links.removeAll()
            stream.fill(&links, portion)
            let failure = stream.failure
            state.withLock { [links] state in
                state.links = links
                state.failure = failure
            }
            isFilled.signal()
        }
    }
}
