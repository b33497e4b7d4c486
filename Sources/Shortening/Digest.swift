// SHA-256 through libcrypto. Nothing here knows what is digested.
internal import COpenSSL

/// A SHA-256 digest. Comparing two takes the same time whatever they hold (CRYPTO_memcmp(3)).
package struct SHA256Digest: Equatable, Sendable {
    package static let length = 32

    /// 32 bytes.
    package let bytes: [UInt8]

    /// The digest of a message. One call of libcrypto; any thread.
    package init(of message: [UInt8]) {
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.length) { output, count in
            // libcrypto reads `message.count` bytes and writes 32; both buffers are alive and that large.
            unsafe message.withUnsafeBufferPointer { input in
                let isDone = unsafe openssl_sha256(input.baseAddress, input.count, output.baseAddress)
                precondition(isDone == 1, "libcrypto makes no SHA-256")
            }
            count = Self.length
        }
    }

    /// A digest that was kept; nil unless it has 32 bytes.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
        // Both arrays hold 32 bytes: the initialisers see to it.
        unsafe left.bytes.withUnsafeBufferPointer { left in
            unsafe right.bytes.withUnsafeBufferPointer { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, Self.length) == 0
            }
        }
    }
}
