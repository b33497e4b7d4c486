// TLS on one connection: OpenSSL's state between the connection and its socket. On the loop's thread; it never waits, and it
// knows nothing of HTTP.
//
//   handshaking ──► open ──► ended (close_notify or the end of the socket)
//        └───────────┴─────► failed
//
// Invariants:
// 1. After `read` said `.wants`, OpenSSL holds no whole record: what is left to read will make the socket readable.
// 2. A write that came to nothing is made again with the same bytes first, as OpenSSL demands (SSL_write(3)).
internal import COpenSSL

/// One TLS connection, as a server.
@safe final class TLSSession {
    enum Outcome: Equatable {
        /// Done; how many bytes.
        case bytes(Int)
        /// Nothing without more from the peer, or without room in the socket.
        case wants(Want)
        /// The peer has said or shown that nothing more comes.
        case ended
        case failed
    }

    enum Want: Equatable { case input, room }

    private let ssl: OpaquePointer
    private let wire: UnsafeMutablePointer<Wire>
    /// Held because OpenSSL's callbacks use it while it is the session's.
    private let context: TLSContext
    private(set) var isHandshaking = true
    private var hasFailed = false
    private var hasSaidEnd = false
    /// Reading cannot go on until the socket takes what OpenSSL has to say.
    private(set) var isStalledOnRoom = false
    /// Writing cannot go on until OpenSSL has read more: the peer is half-way through a message of its own.
    private(set) var isStalledOnInput = false
    /// The peer's end was seen while the connection was busy.
    var hasEnded = false
    /// Whether there was a turn since the loop last looked, and whether the loop is to look at all.
    private var isInUse = false
    private var isWarm = false

    /// A session that awaits its handshake on `socket`, which stays the caller's to close; nil when memory is short.
    init?(_ context: TLSContext, socket: Int32) {
        guard let ssl = unsafe context.makeSession() else { return nil }
        unsafe wire = UnsafeMutablePointer<Wire>.allocate(capacity: 1)
        unsafe wire.initialize(to: Wire(socket: socket))
        self.context = context
        unsafe self.ssl = ssl
        let bio = unsafe WireMethod.shared.makeBIO(wire)
        // Given twice, it counts as given once (SSL_set_bio(3)).
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_accept_state(ssl)
    }

    deinit {
        // Frees the BIO too, and that before the wire it points to.
        unsafe SSL_free(ssl)
        unsafe wire.deallocate()
    }

    /// Whether the peer speaks plain text.
    var isPlainText: Bool { unsafe wire.pointee.isPlainText }

    /// Whether OpenSSL has received more than it has given out.
    var hasBuffered: Bool { unsafe SSL_has_pending(ssl) != 0 }

    /// Lets the next call receive from the socket, once.
    func allowReceiving() { unsafe wire.pointee.mayReceive = true }

    func forbidReceiving() { unsafe wire.pointee.mayReceive = false }

    /// Notes a turn; true where the loop does not know yet that the session has buffers.
    func warmUp() -> Bool {
        isInUse = true
        defer { isWarm = true }
        return !isWarm
    }

    /// Gives the buffers back, some 35 KB, where there was no turn since the last call; true where it keeps them. Whatever waits
    /// in one keeps it alive (SSL_free_buffers(3)).
    func coolDown() -> Bool {
        defer { isInUse = false }
        isWarm = unsafe isInUse || SSL_free_buffers(ssl) == 0
        return isWarm
    }

    /// Goes on with the handshake; `.bytes(0)` when it is done.
    func handshake() -> Outcome {
        prepare()
        isStalledOnRoom = false
        guard unsafe SSL_do_handshake(ssl) != 1 else {
            isHandshaking = false
            return .bytes(0)
        }
        return readingOutcome()
    }

    /// Decrypts into `buffer`, at most one record.
    func read(_ buffer: inout [UInt8]) -> Outcome {
        prepare()
        isStalledOnRoom = false
        // OpenSSL writes into the buffer during the call only.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe SSL_read(ssl, $0.baseAddress, Int32($0.count)) }
        return count > 0 ? .bytes(Int(count)) : readingOutcome()
    }

    /// Encrypts and sends; how many bytes were taken, -1 when the session is broken.
    func write(_ bytes: Span<UInt8>) -> Int {
        var taken = 0
        isStalledOnInput = false
        while taken < bytes.count {
            prepare()
            // The buffer is read during the call only; OpenSSL takes one record a call and at most an Int32 of bytes.
            let count = unsafe bytes.extracting(taken..<bytes.count).withUnsafeBytes {
                unsafe SSL_write(ssl, $0.baseAddress, Int32(min($0.count, 1 << 30)))
            }
            if count > 0 {
                taken += Int(count)
            } else if unsafe wire.pointee.isShortOfRoom {
                return taken
            } else if unsafe wire.pointee.isShortOfInput {
                isStalledOnInput = true
                return taken
            } else {
                fail()
                return -1
            }
        }
        return taken
    }

    /// Tells the peer that nothing more comes (close_notify, RFC 8446 §6.1), if it can be told at once.
    func end() {
        guard !isHandshaking, !hasFailed, !hasSaidEnd, !isStalledOnInput else { return }
        hasSaidEnd = true
        prepare()
        if unsafe SSL_shutdown(ssl) < 0 { fail() }
    }

    private func prepare() {
        unsafe wire.pointee.isShortOfInput = false
        unsafe wire.pointee.isShortOfRoom = false
    }

    // The wire says why a call came to nothing. SSL_get_error(3) would too, but it looks at the thread's queue of errors,
    // which would have to be emptied before every call.
    private func readingOutcome() -> Outcome {
        isStalledOnRoom = unsafe wire.pointee.isShortOfRoom
        if isStalledOnRoom { return .wants(.room) }
        if unsafe wire.pointee.isShortOfInput { return .wants(.input) }
        if unsafe wire.pointee.hasEnded || SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 {
            ERR_clear_error()
            return .ended
        }
        fail()
        return .failed
    }

    private func fail() {
        hasFailed = true
        ERR_clear_error()
    }
}
