// What all handshakes of a time share: certificates by host name, versions, ciphers, ticket keys. It never changes once it is
// made; new certificates make a new one, and sessions that began with the old keep it.
//
// Resumption is by tickets alone (RFC 8446 §2.2, RFC 5077), whose keys OpenSSL makes with the first SSL_CTX and keeps in memory
// only. All loops share the context and so the keys; they are renewed by making a new context, which costs returning clients
// one whole handshake.
internal import COpenSSL
internal import Glibc

/// The server's side of TLS. Any thread.
@safe package final class TLSContext: Sendable {
    // Sendable by hand: the pointers never change, and OpenSSL counts and locks what sessions of many threads use of an SSL_CTX.
    private nonisolated(unsafe) let contexts: [OpaquePointer]
    private let names: HostNames

    /// The first certificate is for clients that name no host or an unknown one. Throws where OpenSSL refuses a certificate.
    init(_ certificates: [Certificate], minimumVersion: TLSVersion) throws(CertificateProblem) {
        var contexts = unsafe [OpaquePointer]()
        var names = HostNames()
        for certificate in certificates {
            let context = unsafe SSL_CTX_new(TLS_server_method())
            guard let context = unsafe context, unsafe Self.prepare(context, minimumVersion, certificate) else {
                unsafe contexts.forEach { unsafe SSL_CTX_free($0) }
                unsafe SSL_CTX_free(context)
                throw CertificateProblem(
                    message: "\(certificate.files.certificate) is not accepted by OpenSSL: \(OpenSSLError.last.text).")
            }
            for name in certificate.chain.names { unsafe names.add(name, place: contexts.count) }
            unsafe contexts.append(context)
        }
        unsafe self.contexts = contexts
        self.names = names
        // The argument is this object, which every session holds. Only the first context is asked, since all sessions begin
        // with it.
        unsafe openssl_on_server_name(contexts.first, chooseCertificate, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { unsafe contexts.forEach { unsafe SSL_CTX_free($0) } }

    /// Whether there is a certificate for the host.
    package func covers(_ host: String) -> Bool { names[host] != nil }

    /// A session of OpenSSL's, which is the caller's to free.
    func makeSession() -> OpaquePointer? { unsafe SSL_new(contexts[0]) }

    /// The context with the certificate for a host.
    fileprivate func context(for host: String) -> OpaquePointer? { unsafe names[host].map { unsafe contexts[$0] } }

    /// False with OpenSSL's reason in its queue.
    private static func prepare(_ context: OpaquePointer, _ version: TLSVersion, _ certificate: Certificate) -> Bool {
        unsafe openssl_set_nonblocking_modes(context)
        unsafe openssl_refuse_extras(context)
        unsafe SSL_CTX_set_alpn_select_cb(context, chooseProtocol, nil)
        return unsafe openssl_set_minimum_version(context, version.number) == 1
            && SSL_CTX_set_cipher_list(context, ciphers) == 1 && openssl_set_groups(context, "X25519:P-256:P-384") == 1
            && certificate.chain.install(in: context) && certificate.key.install(in: context)
    }

    /// For TLS 1.2: forward secrecy and authenticated encryption, or nothing. Mozilla's «intermediate» list (version 5.7) but
    /// for finite-field Diffie-Hellman, which costs a server much and no living client needs. TLS 1.3 has only good ones.
    private static let ciphers = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")
}

// OpenSSL calls these during a handshake with pointers that are good for the call.

/// SSL_CTX_set_tlsext_servername_callback(3): the certificate of the host that the client names (RFC 6066 §3). An unknown one
/// gets the first, without an alert: the client sees the wrong name and says so better than we could.
private func chooseCertificate(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument = unsafe argument, let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else {
        return SSL_TLSEXT_ERR_NOACK
    }
    let context = unsafe Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
    guard let chosen = unsafe context.context(for: String(cString: name)) else { return SSL_TLSEXT_ERR_NOACK }
    unsafe SSL_set_SSL_CTX(ssl, chosen)
    return SSL_TLSEXT_ERR_OK
}

/// SSL_CTX_set_alpn_select_cb(3): `http/1.1` or, where the client names protocols without it, an end (RFC 7301 §3.2), so that
/// nobody can make a client of another protocol talk to us.
private func chooseProtocol(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))
    var at = 0
    // Each name has its length before it; OpenSSL has checked that they fit.
    while at < list.count {
        let name = at + 1
        let end = min(list.count, unsafe name + Int(list[at]))
        if unsafe list[name..<end].elementsEqual("http/1.1".utf8) {
            unsafe chosen?.pointee = offered?.advanced(by: name)
            unsafe length?.pointee = UInt8(end - name)
            return SSL_TLSEXT_ERR_OK
        }
        at = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
