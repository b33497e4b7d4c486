// Random bytes that nobody can guess, for keys and salts. Not from OpenSSL: its generator is seeded by the same kernel, and
// starting it costs a daemon that hashes no password 2 MiB.

/// Bytes from the kernel's generator, getrandom(2), by way of the standard library, which ends the program where the system has
/// no entropy at all. Any thread.
enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
