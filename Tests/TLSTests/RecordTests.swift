import COpenSSL
import SocketClient
import Testing

@testable import HTTP

/// Requests and answers across records: OpenSSL's buffers must never keep a request, nor a record's edge be seen.
struct RecordTests {
    private static let versions = [TLS1_2_VERSION, TLS1_3_VERSION]

    private static func wish(_ version: Int32) -> SecureClient.Wish { .init(versions: version...version) }

    @Test(arguments: versions) func `many requests in one record are all answered, in order`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port, Self.wish(version))
            // Every seventh is answered by ticket, with all behind it waiting.
            let paths = (0..<200).map { $0 % 7 == 3 ? "/later?\($0)" : "/r" }
            try client.say(paths.map { get($0) }.joined(), perRecord: 16_384)
            try client.carry()
            for path in paths {
                let reply = try client.reply()
                #expect(path == "/r" ? reply.status == 302 : reply.text == "later \(path.dropFirst(7))")
            }
        }
    }

    @Test(arguments: versions) func `a request of one byte a record is one request`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port, Self.wish(version))
            let body = String(repeating: "0123456789", count: 50)
            let request = "POST /echo HTTP/1.1\r\nHost: s.example\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
            // All records in one piece, then in pieces that cut every record.
            for piece in [Int.max, 17] {
                try client.say(request, perRecord: 1)
                try client.carry(by: piece)
                #expect(try client.reply().text == "secure " + body)
            }
        }
    }

    @Test(arguments: versions)
    func `requests in records of every size, cut anywhere, are answered in order`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port, Self.wish(version))
            var random = SystemRandomNumberGenerator()
            for round in 0..<30 {
                let count = Int.random(in: 1...60, using: &random)
                let requests = (0..<count).map { $0 % 5 == 0 ? get("/later?\($0)") : get("/") }.joined()
                let (record, piece) = (Int.random(in: 1...3_000, using: &random), Int.random(in: 1...9_000, using: &random))
                try client.say(requests, perRecord: record)
                try client.carry(by: piece)
                for index in 0..<count {
                    let text = try client.reply().text
                    #expect(text == (index % 5 == 0 ? "later \(index)" : "secure "), "round \(round), \(record), \(piece)")
                }
            }
        }
    }

    @Test(arguments: versions) func `a content of a megabyte arrives whole`(version: Int32) async throws {
        try await offThread {
            var limits = Limits()
            limits.body = 2 << 20
            let server = try SecureServer(limits: limits)
            let client = try SecureClient.open(server.port, Self.wish(version))
            let body = String(repeating: "abcdefghijklmnop", count: 65_536)
            try client.say("POST / HTTP/1.1\r\nHost: s.example\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
            try client.carry(by: 50_000)
            #expect(try client.reply().text == "secure " + body)
        }
    }

    @Test(arguments: versions)
    func `a streamed answer reaches a slow reader with small buffers whole`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            var wish = Self.wish(version)
            wish.receiveBuffer = 4_096
            let client = try SecureClient.open(server.port, wish)
            // A second request waits behind the stream.
            try client.say(get("/stream") + get("/r"))
            try client.carry()
            let reply = try client.reply(pausing: 200)
            #expect(reply.body == SmallSite.streamed.flatMap { $0 })
            #expect(try client.reply().status == 302)
        }
    }

    @Test(arguments: versions)
    func `a client that says its end behind its requests gets all answers`(version: Int32) async throws {
        try await offThread {
            let server = try SecureServer()
            for paths in [["/r", "/r"], ["/later?1", "/r", "/later?2"], ["/stream", "/later?3"]] {
                var wish = Self.wish(version)
                wish.receiveBuffer = 4_096
                let client = try SecureClient.open(server.port, wish)
                try client.say(paths.map { get($0) }.joined())
                client.sayEnd()
                try client.carry()
                for path in paths {
                    let reply = try client.reply()
                    if path == "/stream" { #expect(reply.body.count == 4 << 20) } else { #expect(reply.status < 400) }
                }
                #expect(try client.readToEnd().isClean)
            }
        }
    }

    @Test func `an answer that closes is followed by the word for it`() async throws {
        try await offThread {
            let server = try SecureServer()
            for version in Self.versions {
                let client = try SecureClient.open(server.port, Self.wish(version))
                #expect(try client.ask(get("/", "Connection: close"))["connection"] == "close")
                let end = try client.readToEnd()
                #expect(end.isClean && end.rest.isEmpty)
            }
        }
    }

    @Test func `keys are changed in the middle of requests`() async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port, Self.wish(TLS1_3_VERSION))
            for round in 0..<20 {
                try client.say(get("/later?\(round)"))
                try client.updateKeys()
                try client.say(get("/"))
                try client.carry(by: round % 3 == 0 ? 5 : .max)
                #expect(try client.reply().text == "later \(round)")
                #expect(try client.reply().text == "secure ")
            }
        }
    }

    @Test func `a client that changes keys without end and reads nothing is held back`() async throws {
        try await offThread {
            var limits = Limits()
            limits.bodyTime = .seconds(1)
            let server = try SecureServer(limits: limits)
            var wish = Self.wish(TLS1_3_VERSION)
            wish.receiveBuffer = 4_096
            let client = try SecureClient.open(server.port, wish)
            // Each wants an answer of its own; they pile up in nobody's memory.
            for _ in 0..<2_000 {
                try client.updateKeys()
                try client.say(get("/r"))
            }
            try? client.carry()
            #expect(try SecureClient.open(server.port).ask(get("/")).status == 200)
        }
    }

    @Test func `whoever leaves without a word takes nothing along`() async throws {
        try await offThread {
            let server = try SecureServer()
            for _ in 0..<50 {
                let client = try SecureClient.open(server.port)
                try client.say(get("/later") + get("/stream") + "POST / HTTP/1.1\r\nContent-Le")
                try? client.carry()
                client.leave()
            }
            #expect(try SecureClient.open(server.port).ask(get("/")).status == 200)
        }
    }

    @Test func `half a record and silence ends in time, and half a request in a 408`() async throws {
        try await offThread {
            var limits = Limits()
            limits.headTime = .seconds(3)
            limits.idleTime = .seconds(3)
            let server = try SecureServer(limits: limits)
            let half = try SecureClient.open(server.port)
            try half.say(get("/"))
            try half.sendRaw(Array(half.takeSaid().dropLast(3)))
            let part = try SecureClient.open(server.port)
            try part.say("GET / HTTP/1.1\r\nHost: s.exa")
            try part.carry()
            #expect(try half.readToEnd().rest.isEmpty)
            #expect(try part.reply().status == 408)
            #expect(try part.readToEnd().isClean)
        }
    }

    @Test func `a record that was tampered with ends the connection`() async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port)
            try client.say(get("/"))
            var record = client.takeSaid()
            record[record.count - 5] ^= 1
            try client.sendRaw(record)
            let fault = #expect(throws: TestFault.self) { _ = try client.reply() }
            #expect(fault?.description.contains("bad record mac") == true)
        }
    }
}
