import Shortening
import Testing

@Suite struct KeySecretTests {
    @Test func `a digest is SHA-256`() {
        // The example of FIPS 180-2, appendix B.1.
        let abc: [UInt8] = [
            0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03,
            0x61,
            0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
        ]
        #expect(SHA256Digest(of: Array("abc".utf8)).bytes == abc)
        #expect(SHA256Digest(stored: abc) == SHA256Digest(of: Array("abc".utf8)))
        #expect(SHA256Digest(of: []) != SHA256Digest(of: [0]))
        #expect(SHA256Digest(stored: []) == nil)
    }

    @Test func `generated secrets are 32 hexadecimal digits and never the same`() {
        let secrets = (0..<100).map { _ in KeySecret.generate().text }
        #expect(Set(secrets).count == 100)
        for secret in secrets {
            #expect(secret.utf8.count == 32)
            #expect(secret.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        }
    }

    @Test func `only 32 hexadecimal digits are read without case`() throws {
        let upper = "0123456789ABCDEF0123456789abcdef"
        #expect(try KeySecret(chosen: upper).digest == SHA256Digest(of: Array(upper.lowercased().utf8)))
        #expect(KeySecret.digest(ofPresented: Array(upper.utf8)) == SHA256Digest(of: Array(upper.lowercased().utf8)))
        for other in ["my_key", "0123456789ABCDEF0123456789abcdeg", "0123456789ABCDEF0123456789abcde", "ABCDEF"] {
            #expect(try KeySecret(chosen: other).digest == SHA256Digest(of: Array(other.utf8)))
        }
        #expect(try KeySecret(chosen: "My_key").digest != KeySecret(chosen: "my_key").digest)
    }

    @Test func `a chosen secret can stand in a path as it is`() throws {
        #expect(throws: KeySecretError.empty) { try KeySecret(chosen: "") }
        #expect(throws: KeySecretError.shape) { try KeySecret(chosen: "..") }
        #expect(throws: KeySecretError.character("/")) { try KeySecret(chosen: "a/b") }
        #expect(throws: KeySecretError.character("%")) { try KeySecret(chosen: "a%20b") }
        #expect(throws: KeySecretError.character("\n")) { try KeySecret(chosen: "a\n") }
        #expect(throws: KeySecretError.character("ä")) { try KeySecret(chosen: "ä") }
        #expect(throws: KeySecretError.tooLong(limit: 256)) { try KeySecret(chosen: String(repeating: "a", count: 257)) }
        #expect(try KeySecret(chosen: "a-b_c~d.e!$&'()*+,;=:@").text == "a-b_c~d.e!$&'()*+,;=:@")
    }
}
