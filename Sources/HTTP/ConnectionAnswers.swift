// A connection's answers: written in order into the loop's buffer, at once, by ticket or piece by piece.

internal import Telemetry

extension Connection {
    func answer(_ request: borrowing Request) {
        phase = .answering
        exchange &+= 1
        if loop.logsAccess, access == nil { access = AccessRecord(request) }
        var answer = Answer(self)
        loop.handling = token
        handler.handle(request, &answer)
        loop.handling = nil
        if answer.isWritten { return finish() }
        if !answer.isGiven {
            send(Response(.internalServerError, type: "text/plain", "Nothing here answers this request.\n"))
        }
        // How long an answer may take is not the client's business.
        if phase == .answering { loop.setDeadline(token, after: .max) }
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
        write(redirect, location: location)
        finish()
        resume()
    }

    func write(_ redirect: PreparedRedirect, location: Span<UInt8>) {
        redirect.write(location, loop.date, to: &loop.output)
        loop.output.append("\r\n")
        endHead()
        access?.status = redirect.status
    }

    func send(_ response: Response) {
        if response.closes { closesAfterAnswer = true }
        access?.status = Int(response.status.rawValue)
        switch response.body {
        case .bytes(let bytes):
            writeHead(response, length: bytes.count)
            if !isHead, response.status.allowsContent {
                loop.output.append(bytes)
                access?.bytes = bytes.count
            }
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
        loop.output.append(loop.date.line)
        for field in response.fields {
            loop.output.append(text: field.name)
            loop.output.append(": ")
            loop.output.append(fieldValue: field.value)
            loop.output.append("\r\n")
        }
        // RFC 9110 §8.6: none with 204; with 304 it would speak of the content that is not sent.
        if let length, response.status.allowsContent {
            loop.output.append("Content-Length: ")
            loop.output.append(decimal: length)
            loop.output.append("\r\n")
        } else if length == nil, !isHTTP10 {
            loop.output.append("Transfer-Encoding: chunked\r\n")
        }
        endHead()
    }

    private func endHead() {
        if loop.hasTransportLines { loop.appendTransportLine(isSecure: tls != nil) }
        if closesAfterAnswer {
            loop.output.append("Connection: close\r\n\r\n")
        } else if isHTTP10 {
            loop.output.append("Connection: keep-alive\r\n\r\n")
        } else {
            loop.output.append("\r\n")
        }
    }

    /// The answer is written; what comes next?
    func finish() {
        download = nil
        if let record = access {
            loop.log.access(record.entry)
            access = nil
        }
        if closesAfterAnswer || loop.isStopping { return linger() }
        phase = .head
        loop.setDeadline(token, after: loop.patience.idle)
    }

    /// Of a request whose head was not read.
    func fail(_ fault: RequestFault) { fail(fault, path: "".utf8Span.span) }

    /// Refuses a request and ends the connection.
    func fail(_ fault: RequestFault, path: Span<UInt8>) {
        closesAfterAnswer = true
        phase = .answering
        if loop.logsAccess, access == nil { access = AccessRecord(from: peer.address) }
        var response = handler.refusal(fault.status, loop.limits.text(of: fault), path: path)
        // RFC 9110 §12.5.3 and §15.5.16: what could be sent instead.
        if fault.status == .unsupportedMediaType { response.fields.append(("Accept-Encoding", "gzip")) }
        if fault.status == .serviceUnavailable { response.fields.append(("Retry-After", "1")) }
        send(response)
    }

    // MARK: Streaming

    /// Asks once everything before has left; `writable` asks again.
    func askForPiece() {
        guard pending.isEmpty, let download else { return }
        loop.setDeadline(token, after: .max)
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
            access?.bytes += bytes.count
        }
        loop.flush(self)
        if phase == .streaming, pending.isEmpty { askForPiece() }
        if phase == .head { resume() }
    }
}
