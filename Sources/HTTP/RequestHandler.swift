// What the server asks of the program above it. There is one handler a loop, called on that loop's thread only, so it needs
// no locks of its own; it must not block.
internal import Telemetry

/// What is to happen with a request's content.
package enum BodyPolicy: Sendable {
    /// Gathered, up to `Limits.body`, before `handle` is called. Content coded gzip is unpacked.
    case gather
    /// Read and dropped: the answer does not depend on it.
    case ignore
}

/// The program above the server, one instance a loop.
package protocol RequestHandler: AnyObject {
    /// Called with what looks to be the path of a request, before that is read in earnest: the time to have the processor fetch
    /// what the answer will need from memory. Empty, or a part of it, where it is not plain to see. A hint and no more: the
    /// request may be refused, its path be another, and the same come twice.
    func expect(_ path: Span<UInt8>)

    /// Called for a request with content, before any of it is gathered.
    func bodyPolicy(for request: borrowing Request) -> BodyPolicy

    /// Answers a request: at once, or by a ticket later. A request that is left unanswered gets 500.
    func handle(_ request: borrowing Request, _ answer: inout Answer)

    /// Makes the answer to what the server itself refuses, in the form that the path's clients take: `text` is for a person, and the
    /// path as it came, or empty where no head was read.
    func refusal(_ status: Status, _ text: String, path: Span<UInt8>) -> Response

    /// Called after all events of one turn of the loop were handled: the time to send off what the turn has gathered.
    func turnEnded()
}

extension RequestHandler {
    package func refusal(_ status: Status, _ text: String, path: Span<UInt8>) -> Response {
        Response(status, type: "text/plain; charset=utf-8", text + "\n")
    }
}

/// The way to answer the request at hand. Used on the loop's thread, during `handle`.
package struct Answer: ~Copyable {
    private let connection: Uncounted<Connection>
    private(set) var isGiven = false
    /// Whether the answer is written whole, and what follows it is still to be done.
    private(set) var isWritten = false

    // Whoever calls the handler holds the connection meanwhile.
    init(_ connection: Connection) { unsafe self.connection = Uncounted(connection) }

    /// Answers at once.
    package mutating func send(_ response: Response) {
        guard !isGiven else { return }
        isGiven = true
        connection.with { $0.send(response) }
    }

    /// Answers at once with a redirect: copies it, and makes no system call before the handler has returned, so that a cache's
    /// lock may be held meanwhile. No allocation; `location` is copied as it is, so it must be free of CR and LF.
    package mutating func send(_ redirect: PreparedRedirect, location: Span<UInt8>) {
        guard !isGiven else { return }
        isGiven = true
        isWritten = true
        connection.with { $0.write(redirect, location: location) }
    }

    /// Puts the answer off: it will be given by the ticket. Until then the connection's next request waits.
    package mutating func later() -> Ticket {
        isGiven = true
        return connection.with { $0.ticket() }
    }
}

/// The right to answer one request later, from any thread. An answer for a connection that is gone, and a second one, are
/// dropped.
package struct Ticket: Sendable {
    /// The loop that has the connection.
    package let loop: EventLoop
    let token: ConnectionToken
    let exchange: UInt32

    /// Answers; on the loop's own thread at once, else through its mailbox.
    package func answer(_ response: Response) { loop.answer(self, response) }

    /// Answers with a redirect; only in work that was posted to the ticket's loop. `location` must be free of CR and LF.
    package func answer(_ redirect: PreparedRedirect, location: String) { loop.answer(self, redirect, location) }
}
