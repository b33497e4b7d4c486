// Guessing keys is slow; everything else is not.
internal import Foundation
internal import Testing

@Suite(.atTheBench) struct BrakeTests {
    @Test func `ten wrong keys a minute, then 429, and a right key all the same`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/")
        // A missing key is no guess.
        for _ in 0..<30 { #expect(try daemon.add("t", "https://example.com/", key: nil).status == 403) }
        for index in 0..<10 { #expect(try daemon.add("t", "https://example.com/", key: "wrong\(index)").status == 403) }
        for index in 0..<5 {
            let reply = try daemon.add("t", "https://example.com/", key: "more\(index)")
            #expect(reply.status == 429)
            #expect(reply.outcome == "FAILURE")
            let seconds = try #require(reply["Retry-After"].flatMap { Int($0) })
            #expect((1...61).contains(seconds))
        }
        // Nobody chooses who is counted.
        let forged = try daemon.ask(
            "POST", "/api-add", ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1"],
            body: Array("key=again&url=u".utf8))
        #expect(forged.status == 429)
        #expect(try daemon.get("/add/wrong/t?url=https://example.com/").status == 429)
        #expect(try daemon.get("/add/my_key/t?url=https://example.com/").status == 200)
        #expect(try daemon.add("u", "https://example.com/").outcome == "SUCCESS")
        #expect(try daemon.get("/s").status == 302)
        #expect(try daemon.get("/t").status == 302)
        #expect(try daemon.get("/healthz").status == 200)
        #expect(try daemon.add("v", "https://example.com/", key: nil).status == 403)
    }

    @Test func `the number of wrong keys is a setting`() throws {
        let daemon = try TestDaemon(["LIMITS_WRONG_KEYS": "2"])
        let statuses = try (0..<4).map { try daemon.add("s", "https://example.com/", key: "wrong\($0)").status }
        #expect(statuses == [403, 403, 429, 429])
    }

    @Test func `requests a minute of a client are a setting, and health is always told`() throws {
        let daemon = try TestDaemon(["LIMITS_REQUESTS_PER_MINUTE": "4"])
        let replies = try (0..<6).map { _ in try daemon.get("/nothing") }
        #expect(replies.map(\.status) == [404, 404, 404, 404, 429, 429])
        #expect((1...15).contains(replies.last?["Retry-After"].flatMap { Int($0) } ?? 0))
        for _ in 0..<6 { #expect(try daemon.get("/healthz").status == 200) }
    }

    @Test func `a client's connections are a setting`() throws {
        let daemon = try TestDaemon(["LIMITS_CONNECTIONS_PER_CLIENT": "3"])
        let wires = try (0..<3).map { _ in try daemon.connect() }
        for wire in wires {
            try wire.send("GET / HTTP/1.1\r\nHost: s.test\r\n\r\n")
            #expect(try wire.reply().status == 200)
        }
        for _ in 0..<10 {
            let reply = try daemon.connect().reply()
            #expect(reply.status == 503 && reply["Connection"] == "close" && reply["Retry-After"] != nil)
        }
        // One line in ten seconds from each loop, and the log is written a moment later.
        let lines = try eventually("a line in the log") { () throws -> Int? in
            let count = daemon.log.components(separatedBy: "more of it are refused").count - 1
            return count > 0 ? count : nil
        }
        #expect(lines <= ProcessInfo.processInfo.activeProcessorCount)
    }
}
