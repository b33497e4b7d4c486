// One event loop: a thread that waits in epoll and serves its connections, each wholly its own. Everything here runs on that
// thread but `post`, `answer` and `send`, which go through the mailbox. It must never block: what does is an errand, and while
// its own thread runs one, the deputy serves the loop (see Errand). «The loop's thread» is the one that serves it now.
internal import CLinux
internal import Glibc
internal import Synchronization
internal import Telemetry

/// An event loop with its connections.
package final class EventLoop: @unchecked Sendable {
    // Sendable by hand: `mailbox`, `load` and `helm` are safe from any thread, all other state belongs to who has the helm.

    /// What other threads leave for the loop.
    enum Message {
        case adopt(Arrival)
        case answer(Ticket, Response)
        case piece(ConnectionToken, Result<[UInt8]?, any Error>)
        case run(@Sendable () -> Void)
        case stop(within: Duration)
    }

    private struct Mailbox: Sendable {
        var messages: [Message] = []
        /// The poller was told, or will be by who has set this.
        var isAnnounced = false
        /// The loop has ended: nobody will read.
        var isClosed = false
    }

    let limits: Limits
    let parser: RequestParser
    let patience: Patience
    let log: Log
    /// Nil where a client may have any number of connections; shared by all loops.
    let census: ClientCensus?
    /// Shared by all loops.
    let heldContent: HeldContent
    /// Whether every answer gets a line in the log.
    let logsAccess: Bool
    private let proxies: TrustedProxies
    private let certificates: CertificateWatch?
    /// Whether some answers tell of TLS: in one line for those over it, and in one for the others.
    let hasTransportLines: Bool
    private let secureLine: [UInt8]
    private let plainLine: [UInt8]
    let poller: Poller
    let helm = Helm()
    private let mailbox = Lock(Mailbox())
    /// Connections held or on their way here; read by the other loops when they share out new ones.
    let load = Atomic<Int>(0)

    private(set) var handler: (any RequestHandler)?
    var output = OutputBuffer(capacity: 64 * 1024)
    /// TLS connections that may have buffers: at most those that had a turn in the last quarter of a second, or have data left.
    var warm: [ConnectionToken] = []
    /// The connection whose request is with the handler.
    var handling: ConnectionToken?
    /// Monotonic nanoseconds at the start of this turn, to within some milliseconds.
    private(set) var now = linux_coarse_nanoseconds()
    private(set) var date = DateField()
    private var table = ConnectionTable()
    private var acceptor: Acceptor?
    private(set) var deputy: Deputy?
    /// How many events this turn has.
    private(set) var turnSize = 0
    /// What this turn leaves to be done at its end.
    var errand: Errand?
    /// Connections up to which it goes on errands.
    let mostCovered: Int
    /// Until then (`now`) others are likely to come during an errand.
    var crowdedUntil: UInt64 = 0
    private(set) var isStopping = false
    private var stopDeadline = UInt64.max
    private var nextTick: UInt64 = 0
    private var saidAt: UInt64 = 0
    // Not zeroed: only what the kernel has written is read, and memory that no request was so large to fill is never there.
    private var input = unsafe [UInt8](unsafeUninitializedCapacity: 64 * 1024) { $1 = $0.count }

    init(
        _ options: ServerOptions, census: ClientCensus? = nil, heldContent: HeldContent, log: Log
    ) throws(SocketError) {
        self.census = census
        self.heldContent = heldContent
        limits = options.limits
        proxies = options.proxies
        logsAccess = options.logsAccess
        mostCovered = options.mostCovered
        let security = options.security
        self.log = log
        certificates = security.certificates
        secureLine = security.line(isSecure: true)
        plainLine = security.line(isSecure: false)
        hasTransportLines = !secureLine.isEmpty
        parser = RequestParser(limits: options.limits)
        patience = Patience(options.limits)
        poller = try Poller()
    }

    /// Gives the loop its work, before its thread starts. Without a deputy it goes on no errands.
    func prepare(handler: any RequestHandler, acceptor: Acceptor, deputy: Deputy? = nil) {
        self.handler = handler
        self.acceptor = acceptor
        self.deputy = deputy
    }

    /// Whether the calling thread serves the loop now.
    package var isCurrent: Bool { Self.served.loop === self }

    // MARK: From any thread

    /// Runs `work` on the loop, soon.
    package func post(_ work: @escaping @Sendable () -> Void) { send(.run(work)) }

    func answer(_ ticket: Ticket, _ response: Response) {
        if isCurrent, mayWrite(ticket) { deliver(response, ticket) } else { send(.answer(ticket, response)) }
    }

    /// While a handler runs, `output` may hold earlier answers of its connection; another's must not be written behind them.
    private func mayWrite(_ ticket: Ticket) -> Bool { handling == nil || handling == ticket.token }

    /// False where the loop has ended and will never read the message.
    @discardableResult func send(_ message: Message) -> Bool {
        // Back from its errand a loop's own thread looks by itself; but with many answers to give it may be gone for long.
        let looksItself = Self.sender.loop === self
        let (isTaken, announces) = mailbox.withLock { mailbox in
            if mailbox.isClosed { return (false, false) }
            let announces = !mailbox.isAnnounced && !(looksItself && mailbox.messages.isEmpty)
            mailbox.messages.append(message)
            if announces { mailbox.isAnnounced = true }
            return (true, announces)
        }
        if announces { poller.wake() }
        return isTaken
    }

    // MARK: The loop

    /// Serves until it is stopped and its connections are closed. Called once, on the loop's own thread.
    func run() {
        guard let handler else { preconditionFailure("a loop runs with a handler") }
        Self.served.loop = self
        acceptor?.start(self)
        var wasAway = false
        while !(isStopping && table.isEmpty && closeMailbox()) {
            var count = wasAway ? pollAwake() : 0
            if count == 0 { count = poller.wait(milliseconds: pollPatience) }
            turn(count, handler)
            wasAway = errand != nil && runErrands(handler)
        }
        Self.served.loop = nil
        self.handler = nil
        acceptor = nil
        deputy = nil
    }

    /// Handles so many events of the poller, and what is due.
    @inline(__always)
    func turn(_ count: Int, _ handler: any RequestHandler) {
        turnSize = count
        beginTurn()
        if count > 0 { expect(0) }
        for index in 0..<count {
            if index + 1 < count { expect(index + 1) }
            dispatch(poller.event(index))
        }
        endTurn(handler)
    }

    @inline(__always)
    func beginTurn() {
        now = linux_coarse_nanoseconds()
        date.refresh()
    }

    @inline(__always)
    func endTurn(_ handler: any RequestHandler) {
        if now >= nextTick { tick() }
        handler.turnEnded()
        table.letGo()
    }

    /// Ends the taking of messages, unless some are there.
    private func closeMailbox() -> Bool {
        mailbox.withLock { mailbox in
            mailbox.isClosed = mailbox.messages.isEmpty
            return mailbox.isClosed
        }
    }

    /// A quarter of a second is fine enough for limits of seconds; a loop without connections sleeps until it is woken.
    private var pollPatience: Int32 { table.isEmpty && acceptor?.isPaused != true ? -1 : 250 }

    /// While one connection is served, the next one's memory may come.
    private func expect(_ index: Int) {
        guard let connection = table.uncounted(ConnectionToken(raw: poller.event(index).token)) else { return }
        for line in 0..<Connection.busyLines { unsafe linux_prefetch(connection.address + line * 64) }
    }

    private func dispatch(_ event: Poller.Event) {
        if event.token == Poller.wakeToken {
            poller.clearWake()
            readMailbox()
        } else if let index = Acceptor.listenerIndex(event.token) {
            acceptor?.accept(index, self)
        } else if let connection = table.uncounted(ConnectionToken(raw: event.token)) {
            connection.with { serve($0, event) }
        }
    }

    private func serve(_ connection: Connection, _ event: Poller.Event) {
        if event.isWritable { connection.writable() }
        if event.isReadable {
            connection.readable(&input, stopsShort: event.stopsShort)
        } else if event.isBroken {
            // Also where OpenSSL has something left: epoll would tell of it again and again until the answer is there.
            connection.close()
        } else if connection.wantsTurn {
            connection.readable(&input)
        }
    }

    func readMailbox() {
        let messages = mailbox.withLock { mailbox in
            let taken = mailbox.messages
            mailbox.messages = []
            mailbox.isAnnounced = false
            return taken
        }
        for message in messages {
            switch message {
            case .adopt(let arrival): adopt(arrival)
            case .answer(let ticket, let response): deliver(response, ticket)
            case .piece(let token, let piece): table[token]?.deliver(piece)
            case .run(let work): work()
            case .stop(let patience): stop(within: patience)
            }
        }
    }

    func answer(_ ticket: Ticket, _ redirect: PreparedRedirect, _ location: String) {
        assert(isCurrent && handling == nil, "a redirect by ticket is given on the loop, by posted work")
        table[ticket.token]?.deliver(redirect, location.utf8Span.span, ticket.exchange)
    }

    private func deliver(_ response: Response, _ ticket: Ticket) { table[ticket.token]?.deliver(response, ticket.exchange) }

    /// Ends what has passed its deadline. One look at an array of numbers: a thousand connections cost a microsecond.
    private func tick() {
        // A little before the wait of an idle loop is over, since `now` may be some milliseconds behind.
        nextTick = now + 240_000_000
        acceptor?.resumeIfPaused(self)
        for connection in table.expired(at: now) { connection.expired() }
        // OpenSSL could drop its buffers after each record, but making them anew is a twelfth of a redirect.
        warm.removeAll { table[$0]?.tls?.coolDown() != true }
        if isStopping, now >= stopDeadline { for connection in table.all { connection.close() } }
    }

    // MARK: Output

    /// Sends what was written for the connection.
    func flush(_ connection: Connection) { connection.flushOutput(&output) }

    /// Whether another answer may be written now: flushes when much is waiting, and says no when the socket takes no more.
    func hasRoom(_ connection: Connection) -> Bool {
        if output.count >= 32 * 1024 { flush(connection) }
        return !connection.hasPending && connection.phase != .closed
    }

    func appendTransportLine(isSecure: Bool) { output.append(isSecure ? secureLine : plainLine) }

    func policy(for request: borrowing Request) -> BodyPolicy { handler?.bodyPolicy(for: request) ?? .ignore }

    /// Says, at most once in ten seconds, that a trusted proxy does not speak the protocol that its listener expects.
    func refusedPreface(_ proxy: ClientAddress) {
        guard now >= saidAt else { return }
        saidAt = now + 10_000_000_000
        log.warning("a connection did not begin with the PROXY protocol's header", ["client": .text(proxy.text)])
    }

    // MARK: Connections

    /// Takes over an accepted socket, which was counted in `load` already.
    func adopt(_ arrival: Arrival) {
        let token = table.nextToken
        let session = arrival.isSecure ? certificates.flatMap { TLSSession($0.current, socket: arrival.descriptor) } : nil
        let trusts = proxies.contains(arrival.client)
        let interest = Connection.readInterest(isPlain: session == nil && !arrival.hasPreface)
        // A header of the PROXY protocol from anybody else would be a lie to believe, or a request to misread.
        guard let handler, (session != nil) == arrival.isSecure, trusts || !arrival.hasPreface,
            poller.add(arrival.descriptor, interest, token: token.raw)
        else {
            Glibc.close(arrival.descriptor)
            discount(arrival.countedAs)
            return
        }
        let peer = Peer(address: arrival.client, isSecure: arrival.isSecure, proxies: trusts ? proxies : nil)
        let connection = Connection(
            arrival, peer: peer, token: token, loop: self, handler: handler, tls: session, interest: interest)
        table.insert(connection)
        setDeadline(token, after: patience.head)
        if isStopping { finish(connection) }
    }

    func forget(_ connection: Connection) {
        poller.remove(connection.socket)
        // First, so that a client which sees the end may come again.
        discount(connection.countedAs)
        Glibc.close(connection.socket)
        table.remove(connection.token)
    }

    private func discount(_ site: ClientAddress?) {
        load.subtract(1, ordering: .relaxed)
        if let site { census?.leave(site) }
    }

    /// Sets when a connection is looked at again, in nanoseconds from this turn; `.max` for never.
    func setDeadline(_ token: ConnectionToken, after nanoseconds: UInt64) {
        table.setDeadline(token, nanoseconds == .max ? .max : now &+ nanoseconds)
    }

    private func stop(within patience: Duration) {
        guard !isStopping else { return }
        isStopping = true
        stopDeadline = now + patience.nanoseconds
        for connection in table.all { finish(connection) }
        acceptor?.stop(self)
    }

    /// A request that has come is answered, though no turn has looked at it yet; then the connection ends.
    private func finish(_ connection: Connection) {
        if connection.isIdle { connection.readable(&input) }
        connection.stopSoon()
    }
}
