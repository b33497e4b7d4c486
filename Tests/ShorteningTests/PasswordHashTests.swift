// Passwords as they are kept.
import Shortening
import Testing

@Suite struct PasswordHashTests {
    /// RFC 7914 §12; "NaCl" as hexadecimal digits.
    private static let vectors: [(password: String, stored: String)] = [
        (
            "",
            "scrypt$n=16,r=1,p=1$$77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17"
                + "e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "password",
            "scrypt$n=1024,r=8,p=16$4e61436c$fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109"
                + "279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
    ]

    @Test(arguments: vectors)
    func `the standard's passwords have the standard's hashes`(password: String, stored: String) {
        #expect(PasswordHash(stored: stored).matches(Array(password.utf8)) == true)
        #expect(PasswordHash(stored: stored).matches(Array((password + "x").utf8)) == false)
        // HMAC, scrypt's first step, takes it for the same.
        #expect(PasswordHash(stored: stored).matches(Array((password + "\0").utf8)) == false)
    }

    @Test func `a hash says how it was made, has a salt of its own and fits one password`() throws {
        let password = Array("AchieveNerdvana".utf8)
        let (first, second) = (try #require(PasswordHash(of: password)), try #require(PasswordHash(of: password)))
        #expect(first.text.hasPrefix("scrypt$n=32768,r=8,p=3$"))
        #expect(first != second)
        #expect(first.matches(password) == true && second.matches(password) == true)
        #expect(first.matches(Array("achieveNerdvana".utf8)) == false)
        #expect(first.matches([]) == false)
        #expect(PasswordHash(stored: first.text).matches(password) == true)
    }

    @Test func `no password has the hash of nobody`() {
        #expect(PasswordHash.unmatchable().matches(Array("x".utf8)) == false)
        #expect(PasswordHash.unmatchable() != PasswordHash.unmatchable())
    }

    @Test(arguments: [
        "", "secret", "scrypt$n=16,r=1,p=1$00", "bcrypt$n=16,r=1,p=1$00$00", "scrypt$n=17,r=1,p=1$00$00",
        "scrypt$n=16,r=1,p=1$0$00",
        "scrypt$n=16,r=1,p=1$00$", "scrypt$n=16,r=1,p=1$0g$00", "scrypt$r=1,n=16,p=1$00$00",
        "scrypt$n=1048576,r=64,p=1$00$00",
        "scrypt$n=16,r=0,p=1$00$00", "scrypt$n=16,r=1,p=1$00$00$",
    ])
    func `a text that is no hash fits nothing and says so`(text: String) {
        #expect(PasswordHash(stored: text).matches([]) == nil)
    }
}
