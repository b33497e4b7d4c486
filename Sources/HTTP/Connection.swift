// One connection: reads requests, has them answered in order, writes the answers. It belongs to its loop's thread. It must
// not know what requests are for, nor wait for anything.
//
//            bytes               head complete,               answered
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
    enum Phase { case head, body, answering, streaming, lingering, closed }

    let socket: Int32
    let client: ClientAddress
    let token: ConnectionToken
    unowned let loop: EventLoop

    private(set) var phase = Phase.head
    /// Received and not yet parsed.
    private var input: [UInt8] = []
    /// How much of `input` the last look at an incomplete head had.
    private var inspected = 0
    /// Written and not yet taken by the socket.
    private var pending: [UInt8] = []
    private var pendingSent = 0
    private var interest = LINUX_EPOLLIN
    private var hasPeerClosed = false
    private var closesAfterAnswer = false
    private var isHead = false
    private var isHTTP10 = false
    private var exchange: UInt32 = 0
    private var upload: Upload?
    private var download: Download?
    private var sentSinceCheck = 0

    init(socket: Int32, client: ClientAddress, token: ConnectionToken, loop: EventLoop) {
        self.socket = socket
        self.client = client
        self.token = token
        self.loop = loop
    }

    // MARK: Reading

    /// The socket has bytes, or its end.
    func readable(_ buffer: inout [UInt8]) {
        guard phase != .answering, phase != .streaming, pending.isEmpty else {
            // Not now: what comes stays in the socket, and the client feels it.
            setInterest(pending.isEmpty ? 0 : LINUX_EPOLLOUT)
            return
        }
        // The kernel writes into the buffer during the call only.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
        if count > 0 {
            guard phase != .lingering else { return }
            received(buffer.span.extracting(0..<count))
        } else if count == 0 {
            reachedEnd()
        } else if errno != EAGAIN && errno != EINTR {
            close()
        }
    }

    private func reachedEnd() {
        hasPeerClosed = true
        // Half a request gets no answer: whoever sent it has left.
        if phase == .head || phase == .body || phase == .lingering { close() }
    }

    private func received(_ bytes: Span<UInt8>) {
        if input.isEmpty {
            if phase == .head { loop.setDeadline(token, after: loop.limits.headTime) }
            let taken = consume(bytes)
            keep(bytes, from: taken)
        } else {
            // An incomplete head is parsed again only when a line has ended or much has come, so that single bytes are cheap.
            let isWorthIt = phase == .body || input.count + bytes.count >= inspected + 4096 || contains(bytes, .lineFeed)
            unsafe bytes.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
            if isWorthIt { consumeInput() }
        }
        loop.flush(self)
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

    private func consumeInput() {
        let bytes = input
        input = []
        keep(bytes.span, from: consume(bytes.span))
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
            case .answering, .streaming: return at
            case .lingering, .closed: return bytes.count
            }
        }
        return at
    }

    /// Parses a head and answers, or begins to gather its content; 0 if the head is incomplete.
    private func begin(_ bytes: Span<UInt8>) -> Int {
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
            fail(RequestFault(.expectationFailed, "The only expectation understood here is 100-continue."))
            return bytes.count
        }
        let lines = bytes.extracting(0..<head.length)
        switch head.framing {
        case .none, .length(0):
            answer(Request(head: head, bytes: lines, body: lines.extracting(0..<0), client: client))
            return head.length
        case .length(let length) where bytes.count - head.length >= length && length <= loop.limits.body:
            // All there already: no copy.
            let body = bytes.extracting(head.length..<head.length + length)
            answer(Request(head: head, bytes: lines, body: body, client: client))
            return head.length + length
        case .length, .chunked:
            beginUpload(head, lines, hasMore: bytes.count > head.length)
            return head.length
        }
    }

    private func beginUpload(_ head: RequestHead, _ lines: Span<UInt8>, hasMore: Bool) {
        let request = Request(head: head, bytes: lines, body: lines.extracting(0..<0), client: client)
        let policy = loop.policy(for: request)
        let limit = if case .gather(let limit) = policy { min(limit, loop.limits.body) } else { loop.limits.body }
        if case .length(let length) = head.framing, length > limit {
            return fail(RequestFault(.contentTooLarge, "The content is too large."))
        }
        if head.expectsContinue, !hasMore {
            if case .ignore = policy {
                // The final answer straight away; whether the content still comes is unknown, so the connection ends.
                closesAfterAnswer = true
                return answer(request)
            }
            loop.output.append("HTTP/1.1 100 Continue\r\n\r\n")
        }
        upload = Upload(head: head, lines: lines, policy: policy, limits: loop.limits, startedAt: loop.now)
        phase = .body
        loop.setDeadline(token, after: loop.limits.bodyTime)
    }

    private func gather(_ bytes: Span<UInt8>, _ at: inout Int) {
        guard let upload else { return close() }
        do throws(RequestFault) {
            guard try upload.take(bytes, &at) else { return }
            self.upload = nil
            upload.withRequest(from: client) { answer($0) }
        } catch {
            self.upload = nil
            at = bytes.count
            fail(error)
        }
    }

    // MARK: Answering

    private func answer(_ request: borrowing Request) {
        phase = .answering
        exchange &+= 1
        loop.setDeadline(token, after: nil)
        var answer = Answer(self)
        loop.handler?.handle(request, &answer)
        if !answer.isGiven { send(Response(.internalServerError, type: "text/plain", "Nothing here answers this request.\n")) }
    }

    func ticket() -> Ticket { Ticket(loop: loop, token: token, exchange: exchange) }

    /// An answer by ticket.
    func deliver(_ response: Response, _ exchange: UInt32) {
        guard phase == .answering, self.exchange == exchange else { return }
        send(response)
        resume()
    }

    /// A redirect by ticket.
    func deliver(_ redirect: PreparedRedirect, _ location: Span<UInt8>, _ exchange: UInt32) {
        guard phase == .answering, self.exchange == exchange else { return }
        send(redirect, location: location)
        resume()
    }

    func send(_ redirect: PreparedRedirect, location: Span<UInt8>) {
        loop.output.append(redirect.beforeLocation)
        loop.output.append(location)
        loop.output.append("\r\n")
        loop.output.append(loop.dateField)
        endHead()
        finish()
    }

    func send(_ response: Response) {
        if response.closes { closesAfterAnswer = true }
        switch response.body {
        case .bytes(let bytes):
            writeHead(response, length: bytes.count)
            if !isHead { loop.output.append(bytes) }
            finish()
        case .stream(let source):
            if isHTTP10 { closesAfterAnswer = true }
            writeHead(response, length: nil)
            if isHead { return finish() }
            download = Download(source: source, isChunked: !isHTTP10)
            phase = .streaming
            askForPiece()
        }
    }

    private func writeHead(_ response: Response, length: Int?) {
        loop.output.append("HTTP/1.1 ")
        loop.output.append(decimal: Int(response.status.rawValue))
        loop.output.append(" ")
        loop.output.append(response.status.reason)
        loop.output.append("\r\n")
        loop.output.append(loop.dateField)
        for field in response.fields {
            loop.output.append(text: field.name)
            loop.output.append(": ")
            loop.output.append(fieldValue: field.value)
            loop.output.append("\r\n")
        }
        // RFC 9110 §8.6: none with 204; with 304 it would speak of the content that is not sent.
        if let length, response.status != .noContent, response.status != .notModified {
            loop.output.append("Content-Length: ")
            loop.output.append(decimal: length)
            loop.output.append("\r\n")
        } else if length == nil, !isHTTP10 {
            loop.output.append("Transfer-Encoding: chunked\r\n")
        }
        endHead()
    }

    private func endHead() {
        if closesAfterAnswer {
            loop.output.append("Connection: close\r\n\r\n")
        } else if isHTTP10 {
            loop.output.append("Connection: keep-alive\r\n\r\n")
        } else {
            loop.output.append("\r\n")
        }
    }

    /// The answer is written; what comes next?
    private func finish() {
        download = nil
        if closesAfterAnswer || loop.isStopping { return linger() }
        phase = .head
        loop.setDeadline(token, after: loop.limits.idleTime)
    }

    private func fail(_ fault: RequestFault) {
        closesAfterAnswer = true
        phase = .answering
        send(Response(fault.status, type: "text/plain; charset=utf-8", "\(fault.reason)\n"))
    }

    // MARK: Streaming

    private func askForPiece() {
        loop.setDeadline(token, after: nil)
        guard let download else { return }
        let (loop, token) = (loop, token)
        download.source.next { piece in loop.send(.piece(token, piece)) }
    }

    func deliver(_ piece: Result<[UInt8]?, any Error>) {
        guard phase == .streaming, let download else { return }
        switch piece {
        case .failure: return close()  // cut: the missing last chunk tells the client
        case .success(nil):
            if download.isChunked { loop.output.append("0\r\n\r\n") }
            finish()
        case .success(let bytes?):
            download.write(bytes, to: &loop.output)
        }
        loop.flush(self)
        if phase == .streaming, pending.isEmpty { askForPiece() }
        if phase == .head { resume() }
    }

    // MARK: Writing

    /// Sends what the loop's buffer holds; what the socket does not take becomes `pending`.
    func flushOutput(_ output: inout OutputBuffer) {
        guard !output.isEmpty, phase != .closed else { return output.removeAll() }
        guard pending.isEmpty else {
            pending += output.bytes
            return output.removeAll()
        }
        let sent = transmit(output.bytes, from: 0)
        guard sent >= 0 else {
            output.removeAll()
            return close()
        }
        if sent < output.count {
            pending = Array(output.bytes[sent...])
            pendingSent = 0
            sentSinceCheck = 0
            setInterest(LINUX_EPOLLOUT)
            loop.setDeadline(token, after: loop.limits.bodyTime)
        }
        output.removeAll()
    }

    /// How many bytes the socket took; -1 when it is broken.
    private func transmit(_ bytes: [UInt8], from start: Int) -> Int {
        // The buffer is read during the call only. MSG_NOSIGNAL: a client that left is an error code, not a signal.
        let sent = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress.map { unsafe $0 + start }, $0.count - start, Int32(MSG_NOSIGNAL))
        }
        if sent >= 0 { return sent }
        return errno == EAGAIN || errno == EINTR ? 0 : -1
    }

    /// The socket takes bytes again.
    func writable() {
        guard !pending.isEmpty else { return setInterest(LINUX_EPOLLIN) }
        let sent = transmit(pending, from: pendingSent)
        guard sent >= 0 else { return close() }
        pendingSent += sent
        sentSinceCheck += sent
        guard pendingSent == pending.count else { return }
        pending = []
        setInterest(LINUX_EPOLLIN)
        switch phase {
        case .streaming: askForPiece()
        case .lingering: shutDown()
        default:
            loop.setDeadline(token, after: phase == .head ? loop.limits.idleTime : nil)
            resume()
        }
    }

    /// Takes up the requests that waited for an answer or for room.
    private func resume() {
        if phase == .head, !input.isEmpty { consumeInput() }
        loop.flush(self)
        if phase == .head, pending.isEmpty {
            setInterest(LINUX_EPOLLIN)
            if !input.isEmpty { loop.setDeadline(token, after: loop.limits.headTime) }
        }
    }

    var hasPending: Bool { !pending.isEmpty }

    private func setInterest(_ events: UInt32) {
        guard events != interest, phase != .closed else { return }
        interest = events
        loop.poller.change(socket, events, token: token.raw)
    }

    // MARK: Ending

    /// A deadline has passed.
    func expired() {
        if !pending.isEmpty { return checkPace() }
        switch phase {
        case .head where input.isEmpty: close()
        case .head: timeOut("The request did not come in time.")
        case .body where upload?.keepsPace(at: loop.now) == true: loop.setDeadline(token, after: .seconds(1))
        case .body: timeOut("The content did not come in time.")
        case .answering, .streaming: break
        case .lingering, .closed: close()
        }
    }

    private func timeOut(_ text: StaticString) {
        isHTTP10 = false
        isHead = false
        fail(RequestFault(.requestTimeout, text))
        loop.flush(self)
    }

    /// A client that reads slower than it may is cut off; one that reads goes on.
    private func checkPace() {
        let wanted = loop.limits.bodyRate * Int(loop.limits.bodyTime.components.seconds)
        guard phase != .lingering || sentSinceCheck > 0, sentSinceCheck >= min(wanted, pending.count) else { return close() }
        sentSinceCheck = 0
        loop.setDeadline(token, after: loop.limits.bodyTime)
    }

    /// The server stops: an idle connection ends now, a busy one after its answer.
    func stopSoon() {
        closesAfterAnswer = true
        if phase == .head, input.isEmpty, pending.isEmpty { close() }
    }

    /// Ends our side once everything is written, then reads theirs out for a moment: closing a socket with unread bytes
    /// sends a reset, which can destroy an answer that the client has not read yet (RFC 9112 §9.6).
    private func linger() {
        phase = .lingering
        input = []
        upload = nil
        loop.flush(self)
        if pending.isEmpty, phase == .lingering { shutDown() }
    }

    private func shutDown() {
        if hasPeerClosed { return close() }
        Glibc.shutdown(socket, Int32(SHUT_WR))
        loop.setDeadline(token, after: .seconds(2))
        setInterest(LINUX_EPOLLIN)
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        upload = nil
        download = nil
        input = []
        pending = []
        loop.forget(self)
    }
}
