// The socket as OpenSSL sees it: a BIO whose reads and writes never block, never raise SIGPIPE, and receive at most once for
// each time that the loop says so. It must not know TLS.
internal import CLinux
internal import COpenSSL
internal import Glibc

/// What a session's BIO knows. It lives on the heap, where the callbacks below find it.
struct Wire {
    let socket: Int32
    /// Whether the next read may ask the socket. One `recv` an event keeps the loop fair, and bounds what is decrypted for a
    /// connection that has requests waiting.
    var mayReceive = false
    /// What the last call of OpenSSL could not do without waiting.
    var isShortOfInput = false
    var isShortOfRoom = false
    /// Whether the first byte was a letter, as in `GET /`, and so no TLS at all (RFC 8446 §5.1: a hello begins with 22).
    var isPlainText = false
    var hasBegun = false
    /// The peer has closed its side, with or without saying so by an alert.
    var hasEnded = false

    init(socket: Int32) { self.socket = socket }
}

/// The kind of BIO that reads and writes a `Wire`.
@safe final class WireMethod: Sendable {
    // Sendable by hand, with its one pointer: the method is only read once it is made, and never freed, as it is made once.
    private nonisolated(unsafe) let method: OpaquePointer?

    /// One for the process: OpenSSL has a limited number of BIO types to give.
    static let shared = WireMethod()

    private init() {
        unsafe method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire")
        unsafe BIO_meth_set_read(method, receive)
        unsafe BIO_meth_set_write(method, transmit)
        unsafe BIO_meth_set_ctrl(method, control)
    }

    /// A BIO over `wire`, which must outlive it.
    func makeBIO(_ wire: UnsafeMutablePointer<Wire>) -> OpaquePointer? {
        let bio = unsafe BIO_new(method)
        unsafe BIO_set_data(bio, wire)
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }
}

// BIO_meth_new(3): callbacks return the bytes moved, or -1 with the retry flags set. OpenSSL passes the BIO that was made
// above, and a buffer of the length it says; both are used during the call only.

private func receive(_ bio: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ length: Int32) -> Int32 {
    guard let wire = unsafe BIO_get_data(bio)?.assumingMemoryBound(to: Wire.self) else { return -1 }
    unsafe openssl_clear_retry(bio)
    if unsafe wire.pointee.mayReceive {
        unsafe wire.pointee.mayReceive = false
        let count = unsafe recv(wire.pointee.socket, buffer, Int(length), 0)
        if count > 0 {
            return unsafe wire.pointee.looksLikeTLS(firstByte: UInt8(bitPattern: buffer?[0] ?? 0)) ? Int32(count) : -1
        }
        if count == 0 {
            unsafe wire.pointee.hasEnded = true
            return 0
        }
        if errno != EAGAIN && errno != EINTR { return -1 }
    }
    unsafe wire.pointee.isShortOfInput = true
    unsafe openssl_retry_read(bio)
    return -1
}

private func transmit(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ length: Int32) -> Int32 {
    guard let wire = unsafe BIO_get_data(bio)?.assumingMemoryBound(to: Wire.self) else { return -1 }
    unsafe openssl_clear_retry(bio)
    let count = unsafe send(wire.pointee.socket, bytes, Int(length), Int32(MSG_NOSIGNAL))
    if count >= 0 { return Int32(count) }
    guard errno == EAGAIN || errno == EINTR else { return -1 }
    unsafe wire.pointee.isShortOfRoom = true
    unsafe openssl_retry_write(bio)
    return -1
}

/// Nothing is buffered here, so there is nothing to flush; all else is not supported.
private func control(_ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}

extension Wire {
    fileprivate mutating func looksLikeTLS(firstByte: UInt8) -> Bool {
        guard !hasBegun else { return true }
        hasBegun = true
        isPlainText = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(firstByte | 0x20)
        return !isPlainText
    }
}
