// A private key from a PEM file, as OpenSSL reads it. It is never written anywhere.
internal import COpenSSL
internal import Glibc

/// A certificate's private key. Any thread.
@safe final class PrivateKey {
    /// Whether the file's permissions let everybody read it.
    let isReadableByAll: Bool
    // Owned and never changed.
    private let key: OpaquePointer

    init(file: String) throws(CertificateProblem) {
        let pem = try PEMFile(file)
        isReadableByAll = pem.isReadableByAll
        var isEncrypted = false
        let key = unsafe withUnsafeMutablePointer(to: &isEncrypted) { flag in
            // Without a callback OpenSSL would ask on the terminal. The flag lives as long as the call.
            unsafe PEM_read_bio_PrivateKey(pem.bio, nil, noteEncryption, flag)
        }
        ERR_clear_error()
        guard let key = unsafe key else {
            // OpenSSL has one reason for a file without a key and for a damaged key: «unsupported».
            throw CertificateProblem(
                message: isEncrypted
                    ? "\(file) is encrypted, and there is nobody to ask for its password; store the key without one."
                    : "\(file) holds no private key in PEM form (-----BEGIN PRIVATE KEY-----), or a damaged one.")
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    func belongs(to chain: CertificateChain) -> Bool { unsafe chain.matches(key) }

    /// Gives the key to an SSL_CTX, which counts it for itself; false with OpenSSL's reason in its queue.
    func install(in context: OpaquePointer) -> Bool { unsafe SSL_CTX_use_PrivateKey(context, key) == 1 }
}

/// pem_password_cb(3): there is no password.
private func noteEncryption(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ flag: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe flag?.storeBytes(of: true, as: Bool.self)
    return -1
}
