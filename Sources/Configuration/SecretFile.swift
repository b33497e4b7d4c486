// Secrets that stand in a file of their own, as orchestrators hand them over.

/// Why a secret's file is of no use.
package struct SecretFileError: Error, Equatable, Sendable {
    /// To stand after the file's name.
    package let reason: String
}

/// A file that holds one secret.
package enum SecretFile {
    /// The file's text without the one line end that editors put there. An empty file is an error, never «no secret needed»;
    /// so are a missing one, one of more than 64 KiB, and one that is not UTF-8. Blocks.
    package static func read(_ path: String) throws(SecretFileError) -> String {
        var bytes: [UInt8]
        do {
            bytes = try contents(ofFile: path, limit: 65_536)
        } catch {
            throw SecretFileError(reason: "cannot be read: \(error.reason)")
        }
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        if bytes.isEmpty { throw SecretFileError(reason: "is empty; write the secret into it") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SecretFileError(reason: "is not UTF-8 text")
        }
        return text
    }
}
