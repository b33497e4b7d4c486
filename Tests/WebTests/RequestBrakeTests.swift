import SocketClient
import Testing

@testable import HTTP
@testable import Web

struct RequestBrakeTests {
    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    @Test func `a minute's requests may come at once, then one for each part of the minute`() throws {
        let meter = RequestMeter(limit: 6)
        let (start, one) = (ContinuousClock.now, try address("192.0.2.1"))
        for _ in 0..<6 { #expect(meter.count(one, at: start) == nil) }
        #expect(meter.count(one, at: start) == 10)
        #expect(meter.count(one, at: start + .milliseconds(9_500)) == 1)
        #expect(meter.count(one, at: start + .seconds(10)) == nil)
        #expect(meter.count(one, at: start + .seconds(10)) == 10)
        #expect(meter.count(one, at: start + .seconds(30)) == nil)
        #expect(meter.count(one, at: start + .seconds(30)) == nil)
        #expect(meter.count(one, at: start + .seconds(30)) == 10)
        // Full again after a minute, and no fuller.
        for _ in 0..<6 { #expect(meter.count(one, at: start + .seconds(3_600)) == nil) }
        #expect(meter.count(one, at: start + .seconds(3_600)) == 10)
    }

    @Test func `who asks on while it is refused waits no longer for it`() throws {
        let meter = RequestMeter(limit: 1)
        let (start, one) = (ContinuousClock.now, try address("192.0.2.1"))
        #expect(meter.count(one, at: start) == nil)
        for second in 1..<60 { #expect(meter.count(one, at: start + .seconds(second)) == 60 - second) }
        #expect(meter.count(one, at: start + .seconds(60)) == nil)
    }

    @Test func `one client's requests are not another's, a site of IPv6 is one client, and local sockets are none`() throws
    {
        let meter = RequestMeter(limit: 1)
        let now = ContinuousClock.now
        #expect(try meter.count(address("192.0.2.1"), at: now) == nil)
        #expect(try meter.count(address("192.0.2.2"), at: now) == nil)
        #expect(try meter.count(address("192.0.2.1"), at: now) == 60)
        #expect(try meter.count(address("2001:db8::1"), at: now) == nil)
        #expect(try meter.count(address("2001:db8::2"), at: now) == 60)
        for _ in 0..<3 { #expect(meter.count(.local, at: now) == nil) }
        #expect(try meter.count(address("192.0.2.1"), at: now - .seconds(1)) == 61)
    }

    @Test func `however many clients come, a bounded number is remembered, the latest surely`() throws {
        let meter = RequestMeter(limit: 1)
        let now = ContinuousClock.now
        for number in 0..<3 * RequestMeter.capacity {
            let client = try address("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
            #expect(meter.count(client, at: now) == nil)
            if number % 1000 == 999 { #expect(meter.count(client, at: now) == 60) }
        }
        #expect(meter.size <= 2 * RequestMeter.capacity)
    }

    @Test func `a client over its limit is 429 with the time to wait, whatever it asks for but health`() async throws {
        // One in a minute: a busy machine may take many seconds for all that follows.
        let service = try WebService { $0.requestsPerMinute = 1 }
        let client = try service.connect()
        func ask(_ line: String) async throws -> Reply { try await client.ask("\(line) HTTP/1.1\r\nHost: a\r\n\r\n") }
        #expect(try await ask("GET /nothing").status == 404)
        for line in ["GET /", "GET /nothing", "GET /healthz/x", "OPTIONS *", "POST /api-add"] {
            let reply = try await ask(line)
            #expect(reply.status == 429 && reply["Connection"] == nil)
            #expect((1...60).contains(reply["Retry-After"].flatMap { Int($0) } ?? 0))
        }
        for (line, beginning) in [
            ("GET /Squeeze.svc/text/k?url=x", "ERROR 429: "),
            ("POST /api-add", #"{"Status":"FAILURE","Message":"Too many"#),
            ("GET /courses.json", #"{"status":429,"#), ("GET /nothing", "Too many requests from your address."),
        ] {
            let reply = try await ask(line)
            #expect(reply.status == 429 && reply["Retry-After"] != nil && reply.text.hasPrefix(beginning))
        }
        for _ in 0..<10 { #expect(try await ask("GET /healthz").status == 200) }
        // Content of a refused request is read, and not taken for the next one.
        await client.send(WebService.post("/api-add", "GET / HTTP/1.1\r\n\r\n"))
        #expect(try await client.reply().status == 429)
        #expect(try await ask("GET /healthz").status == 200)
    }

    @Test func `without the setting nobody is held up`() async throws {
        let service = try WebService()
        let client = try service.connect()
        for _ in 0..<300 {
            #expect(try await client.ask("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n").status == 404)
        }
    }
}
