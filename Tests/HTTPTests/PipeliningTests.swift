import Dispatch
import SocketClient
import Telemetry
import Testing

@testable import HTTP

/// Order, tickets and many requests at once.
struct PipeliningTests {
    @Test func `answers come in the order of their requests, also those given later from another thread`() async throws {
        let queue = DispatchQueue(label: "test.answers")
        let server = try TestServer { request, answer in
            let path = request.pathText
            guard path.hasPrefix("/later") else { return answer.send(plain(path)) }
            let ticket = answer.later()
            queue.asyncAfter(deadline: .now() + .milliseconds(path.utf8.count % 4)) { ticket.answer(plain(path)) }
        }
        let paths = (0..<60).map { $0 % 3 == 1 ? "/\($0)" : "/later/\($0)" + String(repeating: "x", count: $0 % 7) }
        let client = try server.connect()
        await client.send(paths.map { get($0) }.joined())
        for path in paths {
            let reply = try await client.reply()
            #expect(reply.text == path)
            #expect(reply.status == 200)
        }
    }

    @Test func `requests cut anywhere are answered all the same`() async throws {
        let server = try TestServer { request, answer in answer.send(plain(request.pathText + request.bodyText)) }
        let post = "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz"
        let chunked = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\nuvw\r\n0\r\nT: 1\r\n\r\n"
        let bytes = Array((get("/a") + post + chunked + get("/d")).utf8)
        let client = try server.connect()
        for at in stride(from: 1, to: bytes.count, by: 3) {
            await client.send(Array(bytes[..<at]))
            // Long enough that the server mostly sees two pieces; it does not matter where it does not.
            try await Task.sleep(for: .microseconds(500))
            await client.send(Array(bytes[at...]))
            for text in ["/a", "/bxyz", "/cuvw", "/d"] { #expect(try await client.reply().text == text, "cut at \(at)") }
        }
    }

    @Test func `content that comes while the request before is being answered is read all the same`() async throws {
        let held = Lock<Ticket?>(nil)
        let server = try TestServer { request, answer in
            guard request.pathText == "/later" else { return answer.send(plain(request.bodyText)) }
            let ticket = answer.later()
            held.withLock { $0 = ticket }
        }
        for fields in ["Content-Length: 10\r\n\r\n01234", "Transfer-Encoding: chunked\r\n\r\na\r\n01234"] {
            let client = try server.connect()
            await client.send(get("/later") + "POST /b HTTP/1.1\r\nHost: a\r\n" + fields)
            try #require(await eventually { held.withLock { $0 != nil } })
            await client.send(fields.hasPrefix("C") ? "56789" : "56789\r\n0\r\n\r\n")
            // Long enough that the loop is told of these bytes and stops watching.
            try await Task.sleep(for: .milliseconds(100))
            held.withLock { $0.take() }?.answer(plain("later"))
            #expect(try await client.reply().text == "later")
            #expect(try await client.reply().text == "0123456789")
        }
    }

    @Test func `a ticket answers its own request once and no other`() async throws {
        let held = Lock<[Ticket]>([])
        let server = try TestServer { request, answer in
            if request.pathText == "/now" { return answer.send(plain("now")) }
            let ticket = answer.later()
            held.withLock { $0.append(ticket) }
        }
        func ticket(_ index: Int) async throws -> Ticket {
            try #require(await eventually { held.withLock { $0.count } > index })
            return held.withLock { $0[index] }
        }
        let client = try server.connect()
        await client.send(get("/a") + get("/now") + get("/b"))
        let first = try await ticket(0)
        first.answer(plain("a"))
        first.answer(plain("a again"))
        #expect(try await client.reply().text == "a")
        #expect(try await client.reply().text == "now")
        let second = try await ticket(1)
        first.answer(plain("stale"))
        #expect(await client.isQuiet(for: 50))
        second.answer(plain("b"))
        #expect(try await client.reply().text == "b")
        second.answer(plain("b again"))
        #expect(await client.isQuiet(for: 20))
    }

    @Test func `an answer for a client that left reaches no other client`() async throws {
        let held = Lock<[Ticket]>([])
        let server = try TestServer { request, answer in
            let ticket = answer.later()
            held.withLock { $0.append(ticket) }
        }
        let gone = try server.connect()
        await gone.send(get("/gone"))
        try #require(await eventually { held.withLock { $0.count } == 1 })
        gone.leave()
        try await Task.sleep(for: .milliseconds(20))
        // It gets the slot that the first one had.
        let client = try server.connect()
        await client.send(get("/here"))
        try #require(await eventually { held.withLock { $0.count } == 2 })
        held.withLock { $0[0] }.answer(plain("gone"))
        #expect(await client.isQuiet(for: 30))
        held.withLock { $0[1] }.answer(plain("here"))
        #expect(try await client.reply().text == "here")
    }

    @Test func `a ticket given while another request is with the handler answers its own client`() async throws {
        let held = Lock<Ticket?>(nil)
        let server = try TestServer { request, answer in
            switch request.pathText {
            case "/hold":
                let ticket = answer.later()
                held.withLock { $0 = ticket }
            case "/release":
                held.withLock { $0 }?.answer(plain("held"))
                answer.send(plain("released"))
            default: answer.send(plain("other"))
            }
        }
        let (waiting, busy) = (try server.connect(), try server.connect())
        await waiting.send(get("/hold"))
        try #require(await eventually { held.withLock { $0 != nil } })
        // The answer to the first lies in the loop's buffer while the second is handled.
        await busy.send(get("/x") + get("/release") + get("/y"))
        for text in ["other", "released", "other"] { #expect(try await busy.reply().text == text) }
        #expect(try await waiting.reply().text == "held")
    }

    @Test func `a client that asks for much and reads late gets all of it`() async throws {
        let server = try TestServer { request, answer in
            answer.send(plain(request.pathText + String(repeating: "a", count: 2000)))
        }
        let client = try server.connect(receiveBuffer: 65_536)
        let count = 3000
        async let isSent = client.send((0..<count).map { get("/\($0)") }.joined())
        try await Task.sleep(for: .milliseconds(50))
        for index in 0..<count {
            let text = try await client.reply().text
            if !text.hasPrefix("/\(index)a") { Issue.record("answer \(index) is \(text.prefix(20))") }
        }
        #expect(await isSent)
    }

    @Test func `a request that nothing answers gets 500, and the next is served`() async throws {
        let server = try TestServer { request, answer in
            if request.pathText == "/x" { answer.send(plain("x")) }
        }
        let client = try server.connect()
        #expect(try await client.ask(get("/nothing")).status == 500)
        #expect(try await client.ask(get("/x")).text == "x")
    }

    @Test func `several loops share out connections and serve them all`() async throws {
        let server = try TestServer(loops: 3) { request, answer in answer.send(plain(request.pathText)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                let client = try server.connect()
                group.addTask {
                    for index in 0..<20 {
                        let path = "/\(number)/\(index)"
                        let text = try await client.ask(get(path)).text
                        #expect(text == path)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a redirect carries its location, by ticket too`() async throws {
        let redirect = PreparedRedirect(status: .found, cacheControl: "no-store")
        let server = try TestServer { request, answer in
            guard request.pathText == "/later" else {
                return answer.send(redirect, location: "https://e.example/?a=1+2".utf8Span.span)
            }
            let ticket = answer.later()
            ticket.loop.post { ticket.answer(redirect, location: "https://later.example/") }
        }
        let client = try server.connect()
        let now = try await client.ask(get("/now"))
        #expect(now.status == 302 && now["Location"] == "https://e.example/?a=1+2" && now["Cache-Control"] == "no-store")
        #expect(now["Content-Length"] == "0" && now.reason == "Found")
        #expect(try await client.ask(get("/later"))["Location"] == "https://later.example/")
        let last = try await client.ask(get("/now", "Connection: close"))
        #expect(last["Connection"] == "close")
        #expect(await client.ending() == .closed(unread: 0))
    }
}
