// Clients that leave by a reset at the worst of times: their connection ends, and nothing runs for them until the answer that they
// will not read is there.
import COpenSSL
import Glibc
import SocketClient
import Testing

@testable import HTTP

struct ResetTests {
    /// A loop that is told of the same broken connection again and again makes a hundred thousand turns a second.
    private func expectCalm(_ server: SecureServer, _ what: String) {
        let before = server.turns.count
        usleep(1_000_000)
        let turns = server.turns.count - before
        #expect(turns < 1_000, "\(turns) turns in a second after \(what)")
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a reset while an answer is made and a part of a record waits costs no turns`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            for path in ["/late", "/stream"] {
                var wish = SecureClient.Wish(versions: version...version)
                wish.receiveBuffer = 4_096
                let client = try SecureClient.open(server.port, wish)
                try client.say(get(path))
                try client.carry()
                usleep(100_000)
                // Whole records and the beginning of one more, sent when the connection is busy.
                try client.say(get("/r") + get("/r"), perRecord: 30)
                try client.sendRaw(Array(client.takeSaid().dropLast(7)))
                usleep(50_000)
                client.leave()
                expectCalm(server, path)
            }
            #expect(try SecureClient.open(server.port).ask(get("/")).status == 200)
        }
    }

    /// Part of the next record comes in the same packet as the request, so that OpenSSL has it before the connection is busy.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a reset behind a part of a record that OpenSSL holds costs no turns`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            for cut in [1, 7, 20] {
                let client = try SecureClient.open(server.port, .init(versions: version...version))
                try client.say(get("/late"))
                var bytes = client.takeSaid()
                try client.say(get("/r"))
                bytes += client.takeSaid().dropLast(cut)
                try client.sendRaw(bytes)
                usleep(100_000)
                client.leave()
                expectCalm(server, "\(cut) bytes short of a record")
            }
            #expect(try SecureClient.open(server.port).ask(get("/")).status == 200)
        }
    }

    @Test func `resets at every moment of a handshake leave a calm server and nothing open`() async throws {
        try await offThread {
            let server = try SecureServer()
            let hello = try {
                let client = try SecureClient(port: server.port)
                _ = try? client.handshake(by: 0)
                return client.takeSaid()
            }()
            for length in stride(from: 0, through: hello.count, by: 37) {
                let client = try SecureClient(port: server.port)
                try client.sendRaw(Array(hello[..<length]))
                if length.isMultiple(of: 2) { usleep(1_000) }
                client.leave()
            }
            expectCalm(server, "resets within handshakes")
            #expect(try SecureClient.open(server.port).ask(get("/")).status == 200)
        }
    }
}
