// A file open for OpenSSL's PEM readers, and OpenSSL's last error, in the system's and the library's words.
internal import CLinux
internal import COpenSSL
internal import Glibc

/// An open file; closed with its end.
@safe struct PEMFile: ~Copyable {
    let bio: OpaquePointer
    let isReadableByAll: Bool

    init(_ path: String) throws(CertificateProblem) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            // The text is the library's and is copied at once.
            throw CertificateProblem(message: "\(path) cannot be read: \(unsafe String(cString: strerror(errno))).")
        }
        var status = stat()
        unsafe fstat(descriptor, &status)
        guard status.st_mode & S_IFMT == S_IFREG, let bio = unsafe BIO_new_fd(descriptor, BIO_CLOSE) else {
            close(descriptor)
            throw CertificateProblem(message: "\(path) is not a file.")
        }
        isReadableByAll = status.st_mode & S_IROTH != 0
        unsafe self.bio = bio
    }

    deinit { unsafe BIO_free(bio) }
}

/// What OpenSSL says of a failure.
struct OpenSSLError {
    let text: String
    /// Whether there was nothing (more) of what was looked for.
    let isEndOfPEM: Bool

    /// The calling thread's last error; empties its queue of them.
    static var last: OpenSSLError {
        defer { ERR_clear_error() }
        let code = ERR_peek_last_error()
        // A string of the library's, there as long as the program.
        let text = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "no reason is given"
        return OpenSSLError(
            text: text,
            isEndOfPEM: openssl_error_library(code) == ERR_LIB_PEM && openssl_error_reason(code) == PEM_R_NO_START_LINE)
    }
}
