// The certificates of one PEM file, as OpenSSL reads them.
internal import CLinux
internal import COpenSSL
internal import Glibc

/// A host's certificate and those that lead from it to an authority. Any thread.
@safe final class CertificateChain {
    /// Host names that the first certificate is for, as it writes them.
    let names: [String]
    /// Seconds since 1970 between which the first certificate is valid.
    let notBefore: Int64
    let notAfter: Int64
    // Owned, not empty, and never changed.
    private let links: [OpaquePointer]

    init(file: String) throws(CertificateProblem) {
        let pem = try PEMFile(file)
        var links = unsafe [OpaquePointer]()
        while let link = unsafe PEM_read_bio_X509(pem.bio, nil, nil, nil) { unsafe links.append(link) }
        // The last one always fails: at the end, or at what is none.
        let reason = OpenSSLError.last
        guard let first = unsafe links.first, reason.isEndOfPEM else {
            unsafe links.forEach { unsafe X509_free($0) }
            throw CertificateProblem(
                message: reason.isEndOfPEM
                    ? "\(file) holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)."
                    : "\(file) holds a damaged certificate: \(reason.text).")
        }
        unsafe names = subjectNames(first)
        unsafe notBefore = seconds(X509_get0_notBefore(first))
        unsafe notAfter = seconds(X509_get0_notAfter(first))
        unsafe self.links = links
    }

    deinit { unsafe links.forEach { unsafe X509_free($0) } }

    /// Whether the key is the first certificate's.
    func matches(_ key: OpaquePointer) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_private_key(links[0], key) == 1
    }

    /// Gives the chain to an SSL_CTX, which counts it for itself; false with OpenSSL's reason in its queue.
    func install(in context: OpaquePointer) -> Bool {
        unsafe SSL_CTX_use_certificate(context, links[0]) == 1
            && links.dropFirst().allSatisfy { unsafe openssl_add_chain_certificate(context, $0) == 1 }
    }
}

/// The host names of a certificate's subjectAltName (RFC 5280 §4.2.1.6).
private func subjectNames(_ certificate: OpaquePointer) -> [String] {
    guard let extensions = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
    // The extension's type is a stack of GENERAL_NAME.
    let names = OpaquePointer(extensions)
    defer { unsafe GENERAL_NAMES_free(names) }
    let count = unsafe OPENSSL_sk_num(names)
    return (0..<count).compactMap { index in
        guard let name = unsafe OPENSSL_sk_value(names, index) else { return nil }
        var kind: Int32 = 0
        let value = unsafe GENERAL_NAME_get0_value(name.assumingMemoryBound(to: GENERAL_NAME.self), &kind)
        guard kind == GEN_DNS, let text = unsafe value?.assumingMemoryBound(to: ASN1_STRING.self) else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
        return unsafe String(validating: bytes, as: UTF8.self)
    }
}

private func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
    var fields = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(time, &fields) == 1 else { return 0 }
    return unsafe Int64(timegm(&fields))
}
