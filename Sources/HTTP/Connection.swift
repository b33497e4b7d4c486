// One connection: reads requests, has them answered in order, writes the answers. It belongs to its loop's thread. It must
// not know what requests are for, nor wait for anything.
//
//   preface (the PROXY protocol's, on listeners that have it)
//    │
//    ▼       bytes               head complete,               answered
//   idle ──────────► head ──────────────────────► answering ──────────► idle          (kept alive)
//                     │  with content                  ▲        │
//                     └───────────────► body ──────────┘        │  streamed content
//                                      complete                 ▼
//                                                           streaming ──► idle
//   any ──► lingering (our side shut, theirs read and dropped) ──► closed
//
// Invariants:
// 1. At most one request is being answered; the bytes of the next wait in `input` or in the socket.
// 2. While `pending` is not empty nothing more is parsed, so a client that does not read cannot make us buffer.
// 3. Bytes are dropped only in `lingering`; an answer is always preceded by those of the requests before it.
// 4. After a fault nothing more is parsed: where the next request begins is unknown.
internal import CLinux
internal import Glibc

final class Connection {
    enum Phase { case preface, head, body, answering, streaming, lingering, closed }

    // First what every request touches, close together.

    let socket: Int32
    var phase: Phase
    var closesAfterAnswer = false
    var isHead = false
    var isHTTP10 = false
    let token: ConnectionToken
    /// Held both ways: the loop lets go of the connection when it closes.
    let loop: EventLoop
    /// The loop's own; here too, where it never changes, so that no request has to hold on to it.
    let handler: any RequestHandler
    /// Nil where the connection is plain.
    var tls: TLSSession?
    /// Received and not yet parsed.
    var input: [UInt8] = []
    /// How much of `input` the last look at an incomplete head had.
    var inspected = 0
    /// Written and not yet taken by the socket.
    var pending: [UInt8] = []
    var peer: Peer
    var access: AccessRecord?
    var exchange: UInt32 = 0
    var download: Download?

    /// Number of lines of the processor's cache (64 bytes, usually) that hold the above, wherever the object begins.
    static let busyLines = 3

    var pendingSent = 0
    var sentSinceCheck = 0
    /// What is waited for, as epoll knows it.
    var interest: UInt32
    var hasPeerClosed = false
    /// Until an answer is large: TCP may still use the simplest congestion control.
    var beganWithReno = true
    private var upload: Upload?
    /// As whom the census counted it, whoever a proxy says it is; nil where it did not.
    let countedAs: ClientAddress?

    init(
        _ arrival: Arrival, peer: Peer, token: ConnectionToken, loop: EventLoop, handler: any RequestHandler,
        tls: TLSSession?, interest: UInt32
    ) {
        socket = arrival.descriptor
        countedAs = arrival.countedAs
        self.peer = peer
        phase = arrival.hasPreface ? .preface : .head
        self.token = token
        self.loop = loop
        self.handler = handler
        self.tls = tls
        self.interest = interest
    }

    // MARK: Reading

    /// The socket has bytes, or its end; with `stopsShort` more than one read takes.
    func readable(_ buffer: inout [UInt8], stopsShort: Bool = false) {
        // The descriptor may be somebody else's by now.
        guard phase != .closed else { return }
        if phase == .preface { return readPreface() }
        // While lingering nobody cares what the bytes mean.
        if let tls, phase != .lingering { return readSecurely(tls, &buffer) }
        guard phase != .answering, phase != .streaming, pending.isEmpty else {
            // Not now: what comes stays in the socket, and the client feels it.
            setInterest(pending.isEmpty ? 0 : LINUX_EPOLLOUT)
            return
        }
        // The kernel writes into the buffer during the call only.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe linux_receive(socket, $0.baseAddress, $0.count) }
        if count > 0 {
            // Else the read has emptied the socket, and whatever comes is an event of its own.
            if count == buffer.count || stopsShort { loop.poller.change(socket, interest, token: token.raw) }
            guard phase != .lingering else { return }
            received(buffer.span.extracting(0..<count))
        } else if count == 0 {
            reachedEnd()
        } else if errno != EAGAIN && errno != EINTR {
            close()
        }
    }

    func reachedEnd() {
        hasPeerClosed = true
        // Half a request gets no answer: whoever sent it has left.
        if phase == .head || phase == .body || phase == .lingering { close() }
    }

    func received(_ bytes: Span<UInt8>) {
        if input.isEmpty {
            keep(bytes, from: consume(bytes))
            beginHeadTime()
        } else {
            // An incomplete head is parsed again only when a line has ended or much has come, so that single bytes are cheap.
            let isWorthIt = phase == .body || input.count + bytes.count >= inspected + 4096 || contains(bytes, .lineFeed)
            unsafe bytes.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
            if isWorthIt { consumeInput() }
        }
        loop.flush(self)
    }

    /// A request has begun and its head is not complete.
    private func beginHeadTime() {
        if phase == .head, !input.isEmpty, pending.isEmpty { loop.setDeadline(token, after: loop.patience.head) }
    }

    private func contains(_ bytes: Span<UInt8>, _ wanted: UInt8) -> Bool {
        for index in bytes.indices where bytes[index] == wanted { return true }
        return false
    }

    private func keep(_ bytes: Span<UInt8>, from start: Int) {
        inspected = bytes.count - start
        guard inspected > 0, phase != .closed, phase != .lingering else { return }
        unsafe bytes.extracting(start..<bytes.count).withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
    }

    func consumeInput() {
        let bytes = input
        input = []
        let taken = consume(bytes.span)
        keep(bytes.span, from: taken)
        if taken > 0 { beginHeadTime() }
    }

    /// Goes through the bytes request by request; returns how many were taken.
    private func consume(_ bytes: Span<UInt8>) -> Int {
        var at = 0
        while at < bytes.count {
            switch phase {
            case .head:
                guard loop.hasRoom(self) else { return at }
                let length = begin(bytes.extracting(at..<bytes.count))
                guard length > 0 else { return at }
                at += length
            case .body: gather(bytes, &at)
            case .preface, .answering, .streaming: return at
            case .lingering, .closed: return bytes.count
            }
        }
        return at
    }

    /// Parses a head and answers, or begins to gather its content; 0 if the head is incomplete.
    private func begin(_ bytes: Span<UInt8>) -> Int {
        handler.expect(RequestParser.glimpse(bytes))
        switch loop.parser.parse(bytes) {
        case .incomplete: return 0
        case .fault(let fault, let isHead):
            self.isHead = isHead
            isHTTP10 = false
            fail(fault)
            return bytes.count
        case .head(let head):
            isHead = head.method == .head
            isHTTP10 = head.isHTTP10
            closesAfterAnswer = !head.keepsAlive || loop.isStopping
            return begin(head, bytes)
        }
    }

    private func begin(_ head: RequestHead, _ bytes: Span<UInt8>) -> Int {
        if head.hasUnknownExpectation {
            fail(
                RequestFault(.expectationFailed, "The only expectation understood here is 100-continue."),
                path: bytes.extracting(head.path.indices))
            return bytes.count
        }
        let lines = bytes.extracting(0..<head.length)
        switch head.framing {
        case .none, .length(0):
            answer(unsafe Request(head: head, bytes: lines, body: lines.extracting(0..<0), peer: peer))
            return head.length
        case .length, .chunked: return head.length + beginContent(head, lines, bytes.extracting(head.length..<bytes.count))
        }
    }

    /// Answers if all of the content is there, else begins to gather it; returns how much of `rest` was taken.
    private func beginContent(_ head: RequestHead, _ lines: Span<UInt8>, _ rest: Span<UInt8>) -> Int {
        let request = unsafe Request(head: head, bytes: lines, body: lines.extracting(0..<0), peer: peer)
        if loop.logsAccess { access = AccessRecord(request) }
        do throws(RequestFault) {
            let plan = try BodyPlan(request, policy: loop.policy(for: request), limit: loop.limits.body)
            if case .length(let length) = head.framing, plan.isKeptAsItComes, rest.count >= length {
                // All there already: no copy.
                answer(
                    unsafe Request(head: head, bytes: lines, body: rest.extracting(0..<length), peer: peer))
                return length
            }
            if head.expectsContinue, rest.isEmpty {
                if !plan.isKept {
                    // The final answer straight away; whether the content still comes is unknown, so the connection ends.
                    closesAfterAnswer = true
                    answer(request)
                    return 0
                }
                loop.output.append("HTTP/1.1 100 Continue\r\n\r\n")
            }
            upload = Upload(
                head: head, lines: lines, plan: plan, limits: loop.limits, heldContent: loop.heldContent,
                startedAt: loop.now)
            phase = .body
            loop.setDeadline(token, after: loop.patience.body)
        } catch {
            fail(error, path: request.path)
        }
        return 0
    }

    private func gather(_ bytes: Span<UInt8>, _ at: inout Int) {
        guard let upload else { return close() }
        do throws(RequestFault) {
            guard try upload.take(bytes, &at) else { return }
            self.upload = nil
            upload.withRequest(from: peer) { answer($0) }
        } catch {
            self.upload = nil
            at = bytes.count
            fail(error, path: upload.path.span)
        }
    }

    // MARK: Ending

    /// A deadline has passed.
    func expired() {
        if !pending.isEmpty { return checkPace() }
        switch phase {
        case .preface: close()
        case .head where input.isEmpty: close()
        case .head: timeOut("The request did not come in time.", path: [])
        case .body where upload?.keepsPace(at: loop.now) == true: loop.setDeadline(token, after: loop.patience.recheck)
        case .body: timeOut("The content did not come in time.", path: upload?.path ?? [])
        case .answering, .streaming: break
        case .lingering, .closed: close()
        }
    }

    private func timeOut(_ text: StaticString, path: [UInt8]) {
        isHTTP10 = false
        isHead = false
        fail(RequestFault(.requestTimeout, text), path: path.span)
        loop.flush(self)
    }

    /// The server stops: an idle connection ends now, a busy one after its answer.
    func stopSoon() {
        closesAfterAnswer = true
        if isIdle { close() }
    }

    /// Whether nothing of a request has been read and nothing of an answer waits.
    var isIdle: Bool { phase == .head && input.isEmpty && pending.isEmpty }

    /// Ends our side once everything is written, then reads theirs out for a moment: closing a socket with unread bytes
    /// sends a reset, which can destroy an answer that the client has not read yet (RFC 9112 §9.6).
    func linger() {
        phase = .lingering
        input = []
        upload = nil
        loop.flush(self)
        if pending.isEmpty, phase == .lingering { shutDown() }
    }

    func shutDown() {
        if hasPeerClosed { return close() }
        tls?.end()
        Glibc.shutdown(socket, Int32(SHUT_WR))
        loop.setDeadline(token, after: loop.patience.linger)
        setInterest(readInterest)
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        if pending.isEmpty { tls?.end() }
        tls = nil
        upload = nil
        download = nil
        input = []
        pending = []
        loop.forget(self)
    }
}
