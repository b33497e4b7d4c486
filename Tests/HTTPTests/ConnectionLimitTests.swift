import Glibc
import SocketClient
import Testing

@testable import HTTP

struct ConnectionLimitTests {
    @Test func `one connection too many is answered 503, and a place that becomes free is used`() async throws {
        var limits = Limits.patient
        limits.connections = 2
        let server = try TestServer(limits, loops: 2) { _, answer in answer.send(plain("x")) }
        let first = try server.connect()
        #expect(try await first.ask(get("/")).text == "x")
        let second = try server.connect()
        #expect(try await second.ask(get("/")).text == "x")
        let third = try server.connect()
        let refusal = try await third.reply()
        #expect(refusal.status == 503 && refusal["Retry-After"] == "1" && refusal["Connection"] == "close")
        #expect(await third.ending() != .open)
        #expect(try await first.ask(get("/")).text == "x")
        second.leave()
        var status = 0
        for _ in 0..<100 where status != 200 {
            status = (try? await server.connect().ask(get("/", "Connection: close")).status) ?? 0
            if status != 200 { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(status == 200)
    }

    @Test func `connections by the thousand leave nothing behind`() async throws {
        var limits = Limits.patient
        limits.connections = 50
        let server = try TestServer(limits) { _, answer in answer.send(plain("x")) }
        for round in 0..<1000 {
            let client = try server.connect()
            if round % 2 == 0 {
                #expect(try await client.ask(get("/", "Connection: close")).status == 200)
            } else {
                await client.send("GET / HT")
                client.leave()
            }
        }
        #expect(try await server.connect().ask(get("/")).status == 200)
    }

    @Test func `running out of descriptors costs new connections a pause, not the server its life`() async {
        // In a process of its own: the limit is the whole process's.
        await #expect(processExitsWith: .exitCode(7)) {
            let server = try TestServer { _, answer in answer.send(plain("x")) }
            let first = try server.connect()
            guard first.exchange(get("/"), within: 30_000).hasSuffix("x") else { exit(1) }
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 64
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var taken: [Int32] = []
            while true {
                let next = dup(2)
                if next < 0 { break }
                taken.append(next)
            }
            // One is left: for the client's end, none for the server's.
            close(taken.removeLast())
            let waiting = try server.connect()
            guard waiting.exchange(get("/"), within: 400).isEmpty else { exit(2) }
            guard first.exchange(get("/"), within: 30_000).hasSuffix("x") else { exit(3) }
            for _ in 0..<4 { close(taken.removeLast()) }
            guard waiting.exchange("", within: 30_000).hasSuffix("x") else { exit(4) }
            exit(7)
        }
    }
}
