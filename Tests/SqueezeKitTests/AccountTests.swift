// What is taken for a server and a key, and that a key stays hidden.
import Foundation
import SqueezeKit
import Testing

struct AccountTests {
    @Test(arguments: [
        "http://s.example", "https://s.example", "HTTPS://S.example", "http://127.0.0.1:8080", "http://[::1]:8080",
        "https://s.example/x.co",
        "http://localhost", "https://xn--bcher-kva.example:65535",
    ])
    func `a web address is a server`(server: String) throws {
        #expect(try Squeezer.Account(server: server, key: key).server == server)
    }

    @Test(arguments: [
        "", "s.example", "localhost:8080", "ftp://s.example", "http://", "http:///x", "https://s.example?x",
        "https://s.example#x",
        "https://bücher.example", "http://s .example", "http://s.example:0", "http://s.example:65536",
        "http://s.example\r\nX: y",
    ])
    func `anything else is none, and is shown`(server: String) throws {
        let error = #expect(throws: SqueezeError.self) { try Squeezer.Account(server: server, key: key) }
        guard case .invalidServer(let shown) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(shown.prefix(9) == server.prefix(9))
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func `a password in the server's address is refused and not shown`() {
        let error = #expect(throws: SqueezeError.self) {
            try Squeezer.Account(server: "https://me:s3cr3t@s.example", key: key)
        }
        #expect(error == .invalidServer("...@s.example"))
    }

    @Test func `a key given in the server's place is not shown`() {
        let error = #expect(throws: SqueezeError.self) { try Squeezer.Account(server: key, key: "http://s.example") }
        #expect(error?.localizedDescription.contains(key) == false)
    }

    @Test(arguments: ["", " ", ".", "..", "a b", "a/b", "a?b", "a#b", "a%20", "ké", "a\u{0}b"])
    func `what would not stand in a path is no key, and is not shown`(secret: String) {
        let error = #expect(throws: SqueezeError.self) { try Squeezer.Account(server: "http://s.example", key: secret) }
        #expect(error == .invalidKey)
    }

    @Test func `printing, dumping and interpolating never show the key`() throws {
        let account = try Squeezer.Account(server: "http://s.example", key: key)
        var dumped = ""
        dump((account, Squeezer(account: account)), to: &dumped)
        let printed = "\(account) \(String(reflecting: account)) \(String(describing: [account])) \(dumped)"
        #expect(!printed.contains(key))
        #expect(printed.contains("http://s.example"))
    }
}
