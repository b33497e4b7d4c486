import Glibc
import SocketClient
import Synchronization
import Testing

@testable import HTTP

/// Which congestion control TCP uses for an answer.
@Suite(.enabled(if: CongestionControl.bbr != nil, "the system is not set to BBR, so there is nothing to change"))
struct CongestionControlTests {
    @Test func `small answers have Reno, and the first larger one BBR`() async throws {
        let server = try TestServer { request, answer in
            answer.send(plain(String(repeating: "x", count: Int(request.pathText.dropFirst()) ?? 0)))
        }
        let client = try server.connect()
        for path in ["/0", "/10000"] {
            #expect(try await client.ask(get(path)).status == 200)
            #expect(try control(of: server) == "reno")
        }
        let bbr = try #require(CongestionControl.bbr)
        for path in ["/20000", "/0"] {
            #expect(try await client.ask(get(path)).status == 200)
            #expect(try control(of: server) == text(bbr))
        }
    }

    @Test func `an answer whose length is not known has BBR`() async throws {
        let server = try TestServer { _, answer in
            answer.send(Response(.ok, type: "text/plain", content: .stream(Word())))
        }
        let client = try server.connect()
        #expect(try await client.ask(get("/")).text == "word")
        let bbr = try #require(CongestionControl.bbr)
        #expect(try control(of: server) == text(bbr))
    }

    /// A source of one short piece.
    private final class Word: BodySource {
        private let isGiven = Atomic<Bool>(false)

        func next(_ done: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void) {
            let wasGiven = isGiven.exchange(true, ordering: .acquiringAndReleasing)
            done(.success(wasGiven ? nil : Array("word".utf8)))
        }
    }

    @Test func `a local socket has none`() async throws {
        let rig = try LoopRig { _, answer in answer.send(plain(String(repeating: "x", count: 20_000))) }
        #expect(try await rig.client.ask(get("/")).text.count == 20_000)
    }

    /// What the server's end of its one connection uses; the server runs in this process.
    private func control(of server: TestServer) throws -> String {
        for socket in Int32(3)..<4096 where boundPort(socket) == server.port && isConnected(socket) {
            return text(try #require(CongestionControl.name(socket)))
        }
        throw SocketError("getpeername", ENOTCONN)
    }

    private func text(_ name: [CChar]) -> String {
        String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    private func boundPort(_ socket: Int32) -> UInt16? {
        unsafe address(socket, getsockname).map { UInt16(bigEndian: $0.sin_port) }
    }

    private func isConnected(_ socket: Int32) -> Bool { unsafe address(socket, getpeername) != nil }

    /// An address of an IPv4 socket; nil for any other descriptor.
    private func address(
        _ socket: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> sockaddr_in? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            // sockaddr_in begins as sockaddr does.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe ask(socket, $0, &length) }
        }
        return outcome == 0 && address.sin_family == sa_family_t(AF_INET) ? address : nil
    }
}
