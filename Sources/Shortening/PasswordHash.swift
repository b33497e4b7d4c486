// Passwords as the store keeps them: scrypt (RFC 7914) through libcrypto, slow and hungry on purpose, so that a stolen store gives
// no passwords away. It must not be called on an event loop.
internal import COpenSSL

/// What is kept of a password: a text that says how it was made, `scrypt$n=32768,r=8,p=3$SALT$HASH`, salt and hash as
/// hexadecimal digits.
package struct PasswordHash: Equatable, Sendable {
    package let text: String

    /// A hash that comes from the store.
    package init(stored text: String) { self.text = text }

    /// Hashes a password with a new salt; takes a third of a second or more, and 32 MiB. nil where there is no memory for it.
    package init?(of password: [UInt8]) { self.init(of: password, cost: Self.today) }

    /// For tests, which have little time: a hash as good as none.
    package init?(cheaply password: [UInt8]) { self.init(of: password, cost: Cost(n: 2, r: 1, p: 1)) }

    private init?(of password: [UInt8], cost: Cost) {
        let salt = RandomBytes.make(16)
        guard let key = cost.derive(password, salt: salt, length: Self.length) else { return nil }
        self.init(cost: cost, salt: salt, key: key)
    }

    /// A hash that no password has, as dear to look at as any: for accounts that do not exist.
    package static func unmatchable() -> PasswordHash {
        PasswordHash(cost: today, salt: RandomBytes.make(16), key: RandomBytes.make(length))
    }

    private init(cost: Cost, salt: [UInt8], key: [UInt8]) {
        text = "scrypt$n=\(cost.n),r=\(cost.r),p=\(cost.p)$\(Self.hexadecimal(salt))$\(Self.hexadecimal(key))"
    }

    /// Whether a password has this hash, found out in a time that does not depend on how nearly it has; nil where that cannot be
    /// found out, for lack of memory or because the text is no hash. As dear as making one. A password with a NUL has none:
    /// scrypt takes its first step with HMAC, which pads a short key with NULs (RFC 2104 §2), so that one more would make no difference.
    package func matches(_ password: [UInt8]) -> Bool? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "scrypt", let cost = Cost(parts[1]), let salt = Self.bytes(parts[2]),
            let wanted = Self.bytes(parts[3]), !wanted.isEmpty,
            let key = cost.derive(password, salt: salt, length: wanted.count)
        else { return nil }
        // Both arrays are as long.
        let isSame = unsafe key.withUnsafeBufferPointer { key in
            unsafe wanted.withUnsafeBufferPointer { wanted in
                unsafe CRYPTO_memcmp(key.baseAddress, wanted.baseAddress, key.count) == 0
            }
        }
        return isSame && !password.contains(0)
    }

    private static let length = 32
    /// 32 MiB: the last of the equally good settings in OWASP's Password Storage Cheat Sheet that a small machine can afford.
    private static let today = Cost(n: 1 << 15, r: 8, p: 3)

    /// scrypt's three numbers (RFC 7914 §2).
    private struct Cost {
        let n, r, p: UInt64

        init(n: UInt64, r: UInt64, p: UInt64) { (self.n, self.r, self.p) = (n, r, p) }

        /// Reads `n=…,r=…,p=…`. nil beyond 1 GiB or so, which no hash of ours needs.
        init?(_ text: Substring) {
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.split(separator: "=") }
            guard numbers.map({ $0.first }) == ["n", "r", "p"], numbers.allSatisfy({ $0.count == 2 }),
                let n = UInt64(numbers[0][1]), let r = UInt64(numbers[1][1]), let p = UInt64(numbers[2][1]),
                (2...(1 << 20)).contains(n), (1...64).contains(r), (1...64).contains(p), n * r <= 1 << 23
            else { return nil }
            self.init(n: n, r: r, p: p)
        }

        func derive(_ password: [UInt8], salt: [UInt8], length: Int) -> [UInt8]? {
            var isDerived = false
            let key = unsafe [UInt8](unsafeUninitializedCapacity: length) { output, count in
                // EVP_PBE_scrypt(3) reads and writes the buffers during the call only; NULL with length 0 is an empty password.
                let code = unsafe password.withUnsafeBufferPointer { password in
                    unsafe salt.withUnsafeBufferPointer { salt in
                        unsafe password.withMemoryRebound(to: CChar.self) { password in
                            unsafe EVP_PBE_scrypt(
                                password.baseAddress, password.count, salt.baseAddress, salt.count, n, r, p,
                                256 * r * (n + p + 2), output.baseAddress, length)
                        }
                    }
                }
                isDerived = code == 1
                count = isDerived ? length : 0
            }
            return isDerived ? key : nil
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 0x30 : ($0 | 0x20) &- 0x57 }
        guard digits.count % 2 == 0, digits.allSatisfy({ $0 < 16 }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
