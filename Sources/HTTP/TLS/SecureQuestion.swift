// One question over TLS as a client, for a program that asks the daemon on its own machine how it is. It trusts whatever
// certificate it is shown, so it must never be told a secret, nor be believed.
internal import COpenSSL

/// A TLS connection of a client, over a connected, non-blocking socket that stays the caller's to close.
@safe package final class SecureQuestion {
    /// What the socket must have before anything can go on.
    package enum Want: Sendable { case input, room }

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let wire: UnsafeMutablePointer<Wire>

    /// Nil when memory is short.
    package init?(socket: Int32) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { return nil }
        guard let ssl = unsafe SSL_new(context) else {
            unsafe SSL_CTX_free(context)
            return nil
        }
        unsafe wire = UnsafeMutablePointer<Wire>.allocate(capacity: 1)
        unsafe wire.initialize(to: Wire(socket: socket))
        unsafe self.context = context
        unsafe self.ssl = ssl
        unsafe SSL_set_verify(ssl, SSL_VERIFY_NONE, nil)
        let bio = unsafe WireMethod.shared.makeBIO(wire)
        // Given twice, it counts as given once (SSL_set_bio(3)).
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_connect_state(ssl)
    }

    deinit {
        unsafe SSL_free(ssl)
        unsafe SSL_CTX_free(context)
        unsafe wire.deallocate()
    }

    /// Sends `request` and returns what comes until the end, at most about `limit` bytes; nil where the other side speaks no
    /// TLS. Calls `wait` whenever it must wait for the socket, and throws what that throws.
    package func ask<Failure: Error>(
        _ request: [UInt8], limit: Int, wait: (Want) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8]? {
        // The pointers live only for the calls.
        guard try complete(wait, { unsafe SSL_write(ssl, request, Int32(request.count)) }) > 0 else { return nil }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while answer.count < limit {
            let count = try complete(wait) { unsafe SSL_read(ssl, &chunk, Int32(chunk.count)) }
            guard count > 0 else { break }
            answer += chunk[..<Int(count)]
        }
        return answer
    }

    /// Makes a call of OpenSSL's again until it does not have to wait.
    private func complete<Failure: Error>(
        _ wait: (Want) throws(Failure) -> Void, _ call: () -> Int32
    ) throws(Failure) -> Int32 {
        defer { ERR_clear_error() }
        while true {
            unsafe wire.pointee.isShortOfInput = false
            unsafe wire.pointee.isShortOfRoom = false
            unsafe wire.pointee.mayReceive = true
            let outcome = call()
            if outcome > 0 { return outcome }
            if unsafe wire.pointee.isShortOfRoom {
                try wait(.room)
            } else if unsafe wire.pointee.isShortOfInput {
                try wait(.input)
            } else {
                return outcome
            }
        }
    }
}
