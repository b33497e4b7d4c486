// A connection's writing: what the socket does not take at once waits, and with it everything that would come after it.
internal import CLinux
internal import Glibc

extension Connection {
    /// Sends what the loop's buffer holds; what the socket does not take becomes `pending`.
    func flushOutput(_ output: inout OutputBuffer) {
        guard !output.isEmpty, phase != .closed else { return output.removeAll() }
        if output.count > CongestionControl.firstWindow || phase == .streaming, beganWithReno {
            beganWithReno = false
            CongestionControl.endReno(socket)
        }
        guard pending.isEmpty else {
            append(output.bytes, to: &pending)
            return output.removeAll()
        }
        let sent = transmit(output.bytes)
        guard sent >= 0 else {
            output.removeAll()
            return close()
        }
        if sent < output.count {
            pending = []
            append(output.bytes.extracting(sent..<output.count), to: &pending)
            pendingSent = 0
            sentSinceCheck = 0
            setInterest(writeInterest)
            loop.setDeadline(token, after: loop.patience.body)
        }
        output.removeAll()
    }

    /// How many bytes the socket took; -1 when it is broken.
    private func transmit(_ bytes: Span<UInt8>) -> Int {
        if let tls { return tls.write(bytes) }
        // The buffer is read during the call only.
        let sent = unsafe bytes.withUnsafeBytes { unsafe linux_send(socket, $0.baseAddress, $0.count) }
        if sent >= 0 { return sent }
        return errno == EAGAIN || errno == EINTR ? 0 : -1
    }

    private func append(_ bytes: Span<UInt8>, to array: inout [UInt8]) {
        // The buffer is read during the call only.
        unsafe bytes.withUnsafeBufferPointer { unsafe array.append(contentsOf: $0) }
    }

    /// The socket takes bytes again.
    func writable() {
        guard !pending.isEmpty else { return setInterest(readInterest) }
        let bytes = pending
        let sent = transmit(bytes.span.extracting(pendingSent..<bytes.count))
        guard sent >= 0 else { return close() }
        pendingSent += sent
        sentSinceCheck += sent
        guard pendingSent == pending.count else { return setInterest(writeInterest) }
        pending = []
        setInterest(readInterest)
        switch phase {
        case .streaming: askForPiece()
        case .lingering: shutDown()
        case .body: loop.setDeadline(token, after: loop.patience.body)
        case .head where loop.isStopping && input.isEmpty: linger()
        default:
            loop.setDeadline(token, after: phase == .head ? loop.patience.idle : .max)
            resume()
        }
    }

    /// Takes up the requests that waited for an answer or for room.
    func resume() {
        if phase == .head, !input.isEmpty { consumeInput() }
        loop.flush(self)
        // Also where a request's content is still to come: the socket may have gone unwatched while the one before was answered.
        if phase == .head || phase == .body, pending.isEmpty { setInterest(readInterest) }
        if phase == .head, pending.isEmpty, !input.isEmpty { loop.setDeadline(token, after: loop.patience.head) }
        if let tls, tls.hasEnded, pending.isEmpty, phase == .head || phase == .body { reachedEnd() }
    }

    /// What to wait for while there is nothing to send.
    var readInterest: UInt32 { Self.readInterest(isPlain: tls == nil && phase != .preface) }

    /// A plain connection reads all there is whenever it hears of something, so it needs to hear only once. OpenSSL's and the PROXY
    /// protocol's bytes are taken piece by piece.
    static func readInterest(isPlain: Bool) -> UInt32 {
        isPlain ? LINUX_EPOLLIN | LINUX_EPOLLPRI | LINUX_EPOLLRDHUP | LINUX_EPOLLET : LINUX_EPOLLIN
    }

    /// What to wait for while there is something to send.
    var writeInterest: UInt32 { tls?.isStalledOnInput == true ? LINUX_EPOLLIN : LINUX_EPOLLOUT }

    var hasPending: Bool { !pending.isEmpty }

    func setInterest(_ events: UInt32) {
        guard events != interest, phase != .closed else { return }
        interest = events
        loop.poller.change(socket, events, token: token.raw)
    }

    /// A client that reads slower than it may is cut off; one that reads goes on.
    func checkPace() {
        let wanted = Int(Double(loop.limits.bodyRate) * Double(loop.patience.body) / 1e9)
        guard phase != .lingering || sentSinceCheck > 0, sentSinceCheck >= min(wanted, pending.count) else {
            return abandon()
        }
        sentSinceCheck = 0
        loop.setDeadline(token, after: loop.patience.body)
    }

    /// Ends the connection with a reset: by a mere close the kernel would go on offering what the client does not read.
    private func abandon() {
        var atOnce = Glibc.linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout.size(ofValue: atOnce)))
        close()
    }
}
