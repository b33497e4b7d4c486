// A TLS client whose every byte on the wire is the test's to time: OpenSSL talks to memory, and the test carries what it says.
import COpenSSL
import Glibc
import SocketClient

/// One TLS connection to 127.0.0.1. Blocking, so to be used by `offThread`; every wait ends after a minute, for machines that have other work.
@safe final class SecureClient {
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let descriptor: Int32
    /// Decrypted and not yet taken.
    private var received: [UInt8] = []
    private(set) var hasEnded = false

    /// What a client wants.
    struct Wish {
        var name: String? = "s.example"
        var versions = TLS1_2_VERSION...TLS1_3_VERSION
        var protocols = ["http/1.1"]
        var session: Session?
        /// Whether the certificate must be for the name, and from the authority.
        var verifies = true
        /// A small one (bytes) makes a client that can take little before it reads.
        var receiveBuffer: Int32?
    }

    /// Connects, without a word yet.
    init(port: UInt16, _ wish: Wish = Wish()) throws {
        descriptor = try connectedSocket(port, wish.receiveBuffer)
        guard let context = unsafe SSL_CTX_new(TLS_client_method()), let ssl = unsafe SSL_new(context),
            let incoming = unsafe BIO_new(BIO_s_mem()), let outgoing = unsafe BIO_new(BIO_s_mem())
        else { throw TestFault("OpenSSL has no memory") }
        unsafe (self.context, self.ssl, self.incoming, self.outgoing) = unsafe (context, ssl, incoming, outgoing)
        unsafe SSL_CTX_load_verify_file(context, try TestAuthority.shared.get().certificate)
        unsafe SSL_set_verify(ssl, wish.verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        // SSL_CTRL_SET_MIN_PROTO_VERSION and _MAX_ (SSL_CTX_set_min_proto_version(3)), and SSL_set_tlsext_host_name(3).
        unsafe SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(wish.versions.lowerBound), nil)
        unsafe SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(wish.versions.upperBound), nil)
        if let name = wish.name {
            unsafe openssl_set_server_name(ssl, name)
            unsafe SSL_set1_host(ssl, name)
        }
        let list = wish.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        unsafe SSL_set_alpn_protos(ssl, list, UInt32(list.count))
        if let session = wish.session { unsafe SSL_set_session(ssl, session.session) }
        unsafe SSL_set_bio(ssl, incoming, outgoing)
        unsafe SSL_set_connect_state(ssl)
    }

    deinit {
        unsafe SSL_free(ssl)
        unsafe SSL_CTX_free(context)
        close(descriptor)
    }

    /// Connects and shakes hands.
    static func open(_ port: UInt16, _ wish: Wish = Wish()) throws -> SecureClient {
        let client = try SecureClient(port: port, wish)
        try client.handshake()
        return client
    }

    // MARK: Shaking hands

    /// Shakes hands; sends `piece` bytes at a time with `pause` microseconds between. With 0 it only says its hello, for
    /// `takeSaid`.
    func handshake(by piece: Int = .max, pause: UInt32 = 0) throws {
        while true {
            let outcome = unsafe SSL_do_handshake(ssl)
            if piece == 0 { return }
            try carry(by: piece, pause: pause)
            if outcome == 1 { return }
            guard unsafe SSL_get_error(ssl, outcome) == SSL_ERROR_WANT_READ else { throw fault("handshake") }
            guard receive() else { throw TestFault("the connection ended within the handshake") }
        }
    }

    var version: String { unsafe String(cString: SSL_get_version(ssl)) }
    var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }
    var hasCertificate: Bool { unsafe SSL_get_verify_result(ssl) == X509_V_OK }

    var chosenProtocol: String {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &length)
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// The serial number of the server's certificate.
    var serial: String {
        guard let certificate = unsafe SSL_get1_peer_certificate(ssl) else { return "" }
        defer { unsafe X509_free(certificate) }
        let number = unsafe ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil)
        defer { unsafe BN_free(number) }
        guard let text = unsafe BN_bn2hex(number) else { return "" }
        defer { unsafe CRYPTO_free(text, "", 0) }
        return unsafe String(cString: text)
    }

    /// What a later client may resume with; of TLS 1.3 once something was read.
    var session: Session? { unsafe SSL_get1_session(ssl).map { unsafe Session($0) } }

    /// Asks for a renegotiation, which only TLS 1.2 has.
    func renegotiate() throws {
        _ = unsafe SSL_renegotiate(ssl)
        _ = unsafe SSL_do_handshake(ssl)
        try carry()
    }

    /// Changes the keys, and wants the server to do so too; only TLS 1.3 has it.
    func updateKeys() throws {
        guard unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 else { throw fault("SSL_key_update") }
    }

    // MARK: Talking

    /// Encrypts, `perRecord` bytes a record, for `carry` to send.
    func say(_ text: String, perRecord: Int = 16_384) throws {
        let bytes = Array(text.utf8)
        var at = 0
        while at < bytes.count {
            let end = min(bytes.count, at + perRecord)
            let count = unsafe bytes[at..<end].withUnsafeBytes {
                unsafe SSL_write(ssl, $0.baseAddress, Int32($0.count))
            }
            guard count > 0 else { throw fault("SSL_write") }
            at += Int(count)
        }
    }

    /// Tells the server that nothing more comes, for `carry` to send.
    func sayEnd() { _ = unsafe SSL_shutdown(ssl) }

    /// Sends what OpenSSL has said, `piece` bytes at a time with `pause` microseconds between.
    func carry(by piece: Int = .max, pause: UInt32 = 0) throws {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while unsafe BIO_ctrl_pending(outgoing) > 0 {
            let count = unsafe BIO_read(outgoing, &bytes, Int32(min(piece, bytes.count)))
            try sendRaw(Array(bytes[..<Int(count)]))
            if pause > 0 { usleep(pause) }
        }
    }

    /// Sends bytes past OpenSSL.
    func sendRaw(_ bytes: [UInt8]) throws {
        var at = 0
        while at < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress.map { unsafe $0 + at }, $0.count - at, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestFault("send: errno \(errno)") }
            at += count
        }
    }

    /// What OpenSSL has said and `carry` has not sent.
    func takeSaid() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe BIO_read(outgoing, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }

    /// Says, sends, and reads the answer.
    func ask(_ text: String) throws -> Reply {
        try say(text)
        try carry()
        return try reply()
    }

    /// Leaves without a word, by a reset.
    func leave() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        // The number stays taken until `deinit`, so that nobody else gets it meanwhile.
        let none = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = dup2(none, descriptor)
        close(none)
    }

    /// The next answer, with a pause of so many microseconds before each read.
    func reply(pausing pause: UInt32 = 0) throws -> Reply {
        while true {
            if let (reply, count) = try Reply.read(received, toHead: false, isEnd: hasEnded) {
                received.removeFirst(count)
                return reply
            }
            // Looked at again when it has grown by half or nothing more comes at once, so that large answers are not read over
            // and over.
            let enough = received.count + received.count / 2
            guard try read() || hasEnded else { throw TestFault("no answer came") }
            while received.count < enough, !hasEnded, try read(within: 5) {
                if pause > 0 { usleep(pause) }
            }
        }
    }

    /// Reads to the end; what had not been taken, and whether the server said that it was the end.
    func readToEnd() throws -> (rest: [UInt8], isClean: Bool) {
        while !hasEnded { guard try read() || hasEnded else { throw TestFault("no end came") } }
        return (received, unsafe SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0)
    }

    /// Decrypts what is there, or waits for more; false where nothing came.
    private func read(within milliseconds: Int32 = 60_000) throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe SSL_read(ssl, &bytes, Int32(bytes.count))
            try carry()
            if count > 0 {
                received += bytes[..<Int(count)]
                return true
            }
            switch unsafe SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ: if !receive(within: milliseconds) { return false }
            case SSL_ERROR_ZERO_RETURN:
                hasEnded = true
                return false
            default: throw fault("SSL_read")
            }
        }
    }

    /// Carries bytes from the socket to OpenSSL; false at its end and where none came in time.
    private func receive(within milliseconds: Int32 = 60_000) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&event, 1, milliseconds) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        if count <= 0 {
            hasEnded = true
            return false
        }
        unsafe BIO_write(incoming, bytes, Int32(count))
        return true
    }

    private func fault(_ what: String) -> TestFault {
        let text = unsafe ERR_reason_error_string(ERR_peek_last_error()).map { unsafe String(cString: $0) }
        ERR_clear_error()
        return TestFault("\(what): \(text ?? "no reason")")
    }
}

/// A session to resume.
@safe final class Session {
    fileprivate let session: OpaquePointer

    fileprivate init(_ session: OpaquePointer) { unsafe self.session = session }

    deinit { unsafe SSL_SESSION_free(session) }

    /// Bytes of early data that the server would take.
    var earlyData: UInt32 { unsafe SSL_SESSION_get_max_early_data(session) }
}

private func connectedSocket(_ port: UInt16, _ receiveBuffer: Int32?) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if var size = receiveBuffer {
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let outcome = unsafe withUnsafePointer(to: &address) { pointer in
        // sockaddr_in begins as sockaddr does.
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard outcome == 0 else {
        close(descriptor)
        throw TestFault("connect: errno \(errno)")
    }
    return descriptor
}

/// A request without content.
func get(_ path: String, _ fields: String...) -> String {
    "GET \(path) HTTP/1.1\r\nHost: s.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
}
