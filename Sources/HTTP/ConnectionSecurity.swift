// A connection's reading over TLS. What comes out of a session goes the way of plain bytes; what is special is that OpenSSL
// may hold bytes of which the socket tells nothing, and may have to write in order to read and to read in order to write.
//
// Invariant: when an event has been served, OpenSSL holds no whole record. Everything received is decrypted at once; what
// comes while the connection is busy waits in `input`, and is never more than one `recv` brings.
internal import CLinux

extension Connection {
    /// Whether OpenSSL waits for a turn that epoll does not announce as readable.
    var wantsTurn: Bool {
        guard let tls else { return false }
        return tls.isStalledOnRoom || (tls.hasBuffered && phase != .lingering)
    }

    /// The socket has bytes, its end, or the room that the session waits for.
    func readSecurely(_ session: TLSSession, _ buffer: inout [UInt8]) {
        if session.warmUp() { loop.warm.append(token) }
        session.allowReceiving()
        defer { session.forbidReceiving() }
        if session.isStalledOnInput { writable() }
        if !isReading {
            // Not now: what comes stays in the socket, and the client feels it. What came already is decrypted all the same.
            session.forbidReceiving()
            setInterest(pending.isEmpty ? 0 : writeInterest)
            guard session.hasBuffered else { return }
        }
        if session.isHandshaking, !shakeHands(session) { return }
        repeat {
            switch session.read(&buffer) {
            case .bytes(let count): received(buffer.span.extracting(0..<count))
            case .wants: return awaitMore(session)
            case .ended: return reachedSecureEnd(session)
            case .failed: return close()
            }
        } while session.hasBuffered && phase != .lingering && phase != .closed
        awaitMore(session)
    }

    private var isReading: Bool { (phase == .head || phase == .body) && pending.isEmpty }

    private func awaitMore(_ session: TLSSession) {
        // What the write lacked may have come.
        if session.isStalledOnInput { return writable() }
        if isReading { setInterest(session.isStalledOnRoom ? LINUX_EPOLLOUT : LINUX_EPOLLIN) }
    }

    /// True once the handshake is done.
    private func shakeHands(_ session: TLSSession) -> Bool {
        switch session.handshake() {
        case .bytes: return true
        case .wants: awaitMore(session)
        case .ended: close()
        case .failed where session.isPlainText: refusePlainText()
        // OpenSSL has sent an alert that says why; closing at once could destroy it.
        case .failed: linger()
        }
        return false
    }

    private func refusePlainText() {
        tls = nil
        fail(RequestFault(.badRequest, "This port speaks HTTPS: the address begins with https://."))
        loop.flush(self)
    }

    /// The peer will send nothing more. Whoever waits for an answer still gets it; `resume` looks at the end again.
    private func reachedSecureEnd(_ session: TLSSession) {
        session.hasEnded = true
        if isReading { reachedEnd() }
    }
}
