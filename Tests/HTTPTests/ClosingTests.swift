import Dispatch
import Glibc
import SocketClient
import Telemetry
import Testing

@testable import HTTP

/// How connections go on and how they end: RFC 9112 §9.3, §9.6; RFC 9110 §10.1.1.
struct ClosingTests {
    private func echo(_ limits: Limits = .patient, policy: BodyPolicy = .gather) throws -> TestServer {
        try TestServer(limits, policy: policy) { request, answer in
            if request.pathText == "/slow" { usleep(50_000) }
            answer.send(plain(request.pathText + request.bodyText))
        }
    }

    /// A client of an `echo` whose loop another one has just held up, so that what this one does now arrives all together.
    private func clientOfBusyLoop(_ server: TestServer) async throws -> SocketClient {
        let (slow, client) = (try server.connect(), try server.connect())
        await slow.send(get("/slow"))
        usleep(10_000)
        return client
    }

    // MARK: Kept or closed

    @Test func `HTTP 1 point 0 is closed after its answer unless it asks for more`() async throws {
        let server = try echo()
        let once = try server.connect()
        #expect(try await once.ask("GET /a HTTP/1.0\r\n\r\n")["Connection"] == "close")
        #expect(await once.ending() == .closed(unread: 0))
        let more = try server.connect()
        #expect(try await more.ask("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")["Connection"] == "keep-alive")
        #expect(try await more.ask("GET /b HTTP/1.0\r\n\r\n").text == "/b")
        #expect(await more.ending() == .closed(unread: 0))
    }

    @Test func `what follows a request that closes is not answered`() async throws {
        let server = try echo()
        let client = try server.connect()
        await client.send(get("/a", "Connection: close") + get("/b"))
        #expect(try await client.reply().text == "/a")
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `HEAD has the length of what GET has, and no content`() async throws {
        let server = try echo()
        let client = try server.connect()
        await client.send(get("/abc", method: "HEAD") + get("/abc"))
        let head = try await client.reply(toHead: true)
        let whole = try await client.reply()
        #expect(head.status == 200 && head["Content-Length"] == "4" && whole.text == "/abc")
        #expect(head.fields.map(\.name) == whole.fields.map(\.name))
        await client.send("HEAD / HTTP/1.1\r\nBad\r\n\r\n")
        #expect(try await client.reply(toHead: true).status == 400)
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `204 and 304 have no content, whatever they were given`() async throws {
        let server = try TestServer { request, answer in
            answer.send(Response(request.pathText == "/204" ? .noContent : .notModified, body: Array("oops".utf8)))
        }
        let client = try server.connect()
        for path in ["/204", "/304", "/204"] {
            let reply = try await client.ask(get(path))
            #expect("/\(reply.status)" == path && reply["Content-Length"] == nil)
        }
        #expect(await client.isQuiet(for: 20))
    }

    // MARK: Content

    @Test func `content beyond the limit is 413, and a client that is still sending can read it`() async throws {
        let server = try echo()
        let client = try server.connect()
        let size = 4 << 20
        await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
        await client.send([UInt8](repeating: 0, count: size))
        let reply = try await client.reply()
        #expect(reply.status == 413 && reply["Connection"] == "close")
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `the limit of content holds whether it comes with the head or later`() async throws {
        var limits = Limits.patient
        limits.body = 5
        let server = try echo(limits)
        for pause in [0, 20] {
            for (body, status) in [("12345", 200), ("123456", 413)] {
                let client = try server.connect()
                await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
                try await Task.sleep(for: .milliseconds(pause))
                await client.send(body)
                #expect(try await client.reply().status == status)
                let whole = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                #expect(try await server.connect().ask(whole).status == status)
            }
        }
    }

    @Test func `ignored content is not given to the handler, whether it comes with the head or later`() async throws {
        let server = try echo(policy: .ignore)
        let client = try server.connect()
        #expect(try await client.ask("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz").text == "/a")
        await client.send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx")
        try await Task.sleep(for: .milliseconds(20))
        #expect(try await client.ask("yz").text == "/b")
        #expect(try await client.ask(get("/c")).text == "/c")
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func `who expects 100 gets it before sending, then the answer`(_ value: String) async throws {
        let server = try echo()
        let client = try server.connect()
        let head = "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: \(value)\r\n\r\n"
        let interim = try await client.ask(head)
        #expect(interim.status == 100 && interim.fields.isEmpty)
        #expect(try await client.ask("abc").text == "/pabc")
        // Content that has come needs no invitation.
        #expect(try await client.ask(head + "abc").text == "/pabc")
        #expect(
            try await client.ask("POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n").text
                == "/q")
    }

    @Test func `who expects 100 for content that is too large gets the refusal instead`() async throws {
        let server = try echo()
        let client = try server.connect()
        let head = "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\n\r\n"
        #expect(try await client.ask(head).status == 413)
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `who expects 100 for content that nobody wants gets the answer, and the connection ends`() async throws {
        let server = try echo(policy: .ignore)
        let client = try server.connect()
        let head = "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        let reply = try await client.ask(head)
        #expect(reply.text == "/p" && reply["Connection"] == "close")
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `an unknown expectation is 417`() async throws {
        let server = try echo()
        let client = try server.connect()
        #expect(try await client.ask(get("/", "Expect: tea")).status == 417)
        #expect(await client.ending() == .closed(unread: 0))
    }

    // MARK: The client's end

    @Test func `a client that ends its half gets every answer it asked for`() async throws {
        let server = try TestServer { request, answer in
            let path = request.pathText
            guard path == "/later" else { return answer.send(plain(path)) }
            let ticket = answer.later()
            DispatchQueue(label: "test.later").asyncAfter(deadline: .now() + .milliseconds(50)) {
                ticket.answer(plain(path))
            }
        }
        let client = try server.connect()
        await client.send(get("/a") + get("/later") + get("/b") + get("/later"))
        client.finishSending()
        for text in ["/a", "/later", "/b", "/later"] { #expect(try await client.reply().text == text) }
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test(arguments: [
        "", "GET", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab",
    ])
    func `half a request before the end gets no answer`(_ beginning: String) async throws {
        let server = try echo()
        let client = try server.connect()
        await client.send(beginning)
        client.finishSending()
        #expect(await client.ending() == .closed(unread: 0))
    }

    @Test func `a request that comes with the end of its connection is answered, and the end is seen at once`() async throws
    {
        let server = try echo()
        let client = try await clientOfBusyLoop(server)
        await client.send(get("/a") + get("/b"))
        client.finishSending()
        for text in ["/a", "/b"] { #expect(try await client.reply().text == text) }
        #expect(await client.ending(within: 5_000) == .closed(unread: 0))
    }

    @Test func `what comes behind urgent data is read too`() async throws {
        let server = try echo()
        let client = try await clientOfBusyLoop(server)
        await client.send(get("/a"))
        client.sendUrgently(UInt8(ascii: "!"))
        await client.send(get("/b"))
        for text in ["/a", "/b"] { #expect(try await client.reply().text == text) }
    }

    @Test func `content that is all there before the first of it is read is read to its end`() async throws {
        let server = try echo()
        // Several times the loop's buffer, once also to the byte.
        for size in [1_000_000, 4 * 65_536 - 60] {
            let client = try await clientOfBusyLoop(server)
            let head = "POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: "
            let fill = String(repeating: "0", count: 60 - head.utf8.count - 4 - "\(size)".utf8.count)
            await client.send(head + fill + "\(size)\r\n\r\n" + String(repeating: "x", count: size))
            #expect(try await client.reply().body.count == "/c".utf8.count + size)
            #expect(try await client.ask(get("/again")).text == "/again")
        }
    }

    // MARK: Stopping

    @Test func `stopping lets a running request finish, ends idle connections and takes no new ones`() async throws {
        let held = Lock<Ticket?>(nil)
        let server = try TestServer(loops: 2) { request, answer in
            guard request.pathText == "/later" else { return answer.send(plain("now")) }
            let ticket = answer.later()
            held.withLock { $0 = ticket }
        }
        let (busy, idle) = (try server.connect(), try server.connect())
        #expect(try await idle.ask(get("/")).text == "now")
        await busy.send(get("/later") + get("/never"))
        try #require(await eventually { held.withLock { $0 != nil } })
        async let time = server.stop(within: .seconds(60))
        #expect(await idle.ending() == .closed(unread: 0))
        #expect(await busy.isQuiet(for: 50))
        held.withLock { $0 }?.answer(plain("finished"))
        let reply = try await busy.reply()
        #expect(reply.text == "finished" && reply["Connection"] == "close")
        #expect(await busy.ending() == .closed(unread: 0))
        withExtendedLifetime(busy) {}
        let took = await time
        #expect(took < .seconds(30))
    }

    @Test func `a request that never ends holds a stop no longer than it may`() async throws {
        let started = Lock(false)
        let server = try TestServer { request, answer in
            _ = answer.later()
            started.withLock { $0 = true }
        }
        let client = try server.connect()
        await client.send(get("/"))
        try #require(await eventually { started.withLock { $0 } })
        let took = await server.stop(within: .milliseconds(200))
        #expect(took >= .milliseconds(190) && took < .seconds(30))
        #expect(await client.ending() != .open)
    }

    @Test func `with nothing running a stop takes no time`() async throws {
        let server = try echo()
        let client = try server.connect()
        #expect(try await client.ask(get("/")).status == 200)
        #expect(await server.stop(within: .seconds(60)) < .seconds(30))
    }

    @Test func `a connection that was still being written to ends once that is read`() async throws {
        let server = try TestServer { _, answer in answer.send(plain(String(repeating: "a", count: 8 << 20))) }
        let client = try server.connect(receiveBuffer: 65_536)
        await client.send(get("/"))
        try await Task.sleep(for: .milliseconds(100))
        async let time = server.stop(within: .seconds(60))
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await client.reply().body.count == 8 << 20)
        #expect(await client.ending(within: 30_000) == .closed(unread: 0))
        client.leave()
        #expect(await time < .seconds(40))
    }
}
