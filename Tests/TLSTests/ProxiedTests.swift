// The PROXY protocol before the handshake, as a proxy sends it that passes TLS on unread (`proxy:tls:` before an address).
import COpenSSL
import Glibc
import SocketClient
import Testing

@testable import HTTP

struct ProxiedTests {
    private static let version1 = Array("PROXY TCP4 192.0.2.7 198.51.100.1 51234 443\r\n".utf8)
    private static let version2: [UInt8] =
        [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x21, 0x11, 0, 12]
        + [192, 0, 2, 7, 198, 51, 100, 1, 0xc8, 0x22, 1, 0xbb]

    @Test(arguments: [version1, version2])
    func `the client that stands before the handshake is the one of every request behind it`(header: [UInt8]) async throws {
        try await offThread {
            let server = try SecureServer(isBehindProxy: true)
            for piece in [Int.max, 1, 13] {
                let client = try SecureClient(port: server.port)
                if piece == .max {
                    // With the hello in one packet: not a byte too many may be taken.
                    _ = try? client.handshake(by: 0)
                    try client.sendRaw(header + client.takeSaid())
                } else {
                    for start in stride(from: 0, to: header.count, by: piece) {
                        try client.sendRaw(Array(header[start..<min(header.count, start + piece)]))
                        usleep(500)
                    }
                }
                try client.handshake()
                for _ in 0..<2 { #expect(try client.ask(get("/client")).text == "192.0.2.7") }
                // The named client is no proxy, whatever it says itself.
                #expect(try client.ask(get("/client", "X-Forwarded-For: 203.0.113.9")).text == "192.0.2.7")
            }
        }
    }

    @Test func `a handshake without the header, and a header behind it, are refused`() async throws {
        try await offThread {
            let server = try SecureServer(isBehindProxy: true)
            #expect(throws: TestFault.self) { try SecureClient.open(server.port) }
            let twice = try SecureClient(port: server.port)
            try twice.sendRaw(Self.version1 + Self.version1)
            #expect(throws: TestFault.self) { try twice.handshake() }
            let plain = try SecureClient(port: server.port)
            try plain.sendRaw(Self.version1 + Array(get("/").utf8))
            #expect(throws: TestFault.self) { try plain.handshake() }
        }
    }

    @Test func `who is no trusted proxy is not listened to`() async throws {
        try await offThread {
            let server = try SecureServer(isBehindProxy: true, proxies: ["10.0.0.0/8"])
            let client = try SecureClient(port: server.port)
            try? client.sendRaw(Self.version1)
            #expect(throws: TestFault.self) { try client.handshake() }
        }
    }

    @Test func `the setting is proxy:tls: before an address`() async throws {
        try await offThread {
            let files = [try TestAuthority.shared.get().issue()]
            let daemon = try DaemonProcess(
                listen: ["proxy:tls:127.0.0.1:0", "127.0.0.1:0"],
                tlsSettings(files, #""trusted-proxies": ["127.0.0.1"]"#) + ", log: { access: true }")
            let client = try SecureClient(port: daemon.ports[0])
            try client.sendRaw(Self.version1)
            try client.handshake()
            #expect(try client.ask(get("/healthz")).status == 200)
            #expect(daemon.says("client=192.0.2.7"))
            #expect(throws: TestFault.self) { try SecureClient.open(daemon.ports[0]) }
        }
    }
}
