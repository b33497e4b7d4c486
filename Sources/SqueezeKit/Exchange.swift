// One request on its way: what has come so far, and its one outcome. Whatever ends it first (the answer, an error, the
// caller, the clock) decides; all that comes later is dropped.
//
// Invariants:
// 1. `outcome` is set once, under the lock, and the handler is called once, after that and outside the lock.
// 2. A transfer whose exchange is over is cancelled, so that no connection works for nobody.
internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

// Unchecked: every variable is reached under `lock` only.
final class Exchange: @unchecked Sendable {
    typealias Handler = @Sendable (Squeezer.Outcome) -> Void

    private let account: Squeezer.Account
    private let timeout: Duration
    private let lock = NSLock()
    private var outcome: Squeezer.Outcome?
    private var handler: Handler?
    private var task: URLSessionTask?
    private var answer = Answer()

    init(account: Squeezer.Account, timeout: Duration) {
        self.account = account
        self.timeout = timeout
    }

    /// Names whom to tell; told at once where the exchange is over already, as when its task was cancelled before.
    func deliver(to handler: @escaping Handler) {
        let outcome = lock.withLock {
            if self.outcome == nil { self.handler = handler }
            return self.outcome
        }
        if let outcome { tell(handler, outcome) }
    }

    /// Sets the transfer going and the clock.
    func run(_ task: URLSessionTask) {
        let isOver = lock.withLock {
            if outcome == nil { self.task = task }
            return outcome != nil
        }
        guard !isOver else { return cancel(task) }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout.inSeconds) { [weak self, timeout] in
            self?.finish(.failure(.timedOut(after: timeout)))
        }
        task.resume()
    }

    /// Ends the exchange; without effect where it is over.
    func finish(_ outcome: Squeezer.Outcome) {
        let (handler, task) = lock.withLock { () -> (Handler?, URLSessionTask?) in
            guard self.outcome == nil else { return (nil, nil) }
            self.outcome = outcome
            defer { (self.handler, self.task) = (nil, nil) }
            return (self.handler, self.task)
        }
        if let task { cancel(task) }
        if let handler { tell(handler, outcome) }
    }

    func receive(status: Int) {
        lock.withLock { answer.status = status }
    }

    /// Takes a piece of the body. More than an answer may have ends the exchange.
    func receive(_ data: Data) {
        let answer = lock.withLock {
            self.answer.append(data)
            return self.answer
        }
        if answer.isTooLong { finish(.failure(.unexpectedAnswer(status: answer.status))) }
    }

    /// The transfer is over, by itself or by an error.
    func complete(_ error: (any Error)?) {
        let answer = lock.withLock { self.answer }
        if let error {
            finish(.failure(SqueezeError(error, server: account.server, status: answer.status, timeout: timeout)))
        } else {
            finish(answer.outcome(for: account))
        }
    }

    // On a queue of its own: on Linux `cancel` waits for the session's queue, which may be waiting for the caller's locks.
    private func cancel(_ task: URLSessionTask) {
        DispatchQueue.global().async { task.cancel() }
    }

    private func tell(_ handler: @escaping Handler, _ outcome: Squeezer.Outcome) {
        DispatchQueue.global().async { handler(outcome) }
    }
}
