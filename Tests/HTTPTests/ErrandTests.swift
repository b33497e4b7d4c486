import Dispatch
import Foundation
import SocketClient
import Synchronization
import Telemetry
import Testing

@testable import HTTP

/// Work that a loop's own thread does between two turns, and the deputy that serves the loop meanwhile.
struct ErrandTests {
    /// After this a loop goes on errands again, however busy the machine.
    private static let crowdEnds = Duration.milliseconds(100)

    /// What a handler's errands have been told, and what holds them up.
    private final class Gate: Sendable {
        let opened = DispatchSemaphore(value: 0)
        let answers = Lock<[Bool]>([])
        let threads = Lock<[UInt]>([])

        /// Answers with the path, by an errand or, where that may not block, by another thread.
        func errand(_ ticket: Ticket, _ text: String, waits: Bool) -> Errand {
            { mayBlock in
                self.answers.withLock { $0.append(mayBlock) }
                self.threads.withLock { $0.append(UInt(pthread_self())) }
                guard mayBlock else { return DispatchQueue.global().async { ticket.answer(plain(text)) } }
                if waits { self.opened.wait() }
                ticket.answer(plain(text))
            }
        }

        /// `/wait…` waits in an errand, `/errand…` does not, and everything else is answered at once.
        func handle(_ request: borrowing Request, _ answer: inout Answer) {
            let path = request.pathText
            guard path.hasPrefix("/wait") || path.hasPrefix("/errand") else { return answer.send(plain(path)) }
            let ticket = answer.later()
            let errand = errand(ticket, path, waits: path.hasPrefix("/wait"))
            if !EventLoop.leaveToTurnsEnd(errand) { errand(false) }
        }
    }

    @Test func `a request that comes alone has its errand run on the loop's own thread, and its answer sent`() async throws
    {
        let gate = Gate()
        let server = try TestServer { request, answer in gate.handle(request, &answer) }
        let client = try server.connect()
        for number in 0..<20 { #expect(try await client.ask(get("/errand/\(number)")).text == "/errand/\(number)") }
        #expect(gate.answers.withLock { $0 } == [Bool](repeating: true, count: 20))
        #expect(gate.threads.withLock { Set($0).count } == 1, "one thread, the loop's")
        // An answer lets the next request in, whose errand is the next.
        await client.send((0..<20).map { get("/errand/\($0)") }.joined())
        for number in 0..<20 { #expect(try await client.reply().text == "/errand/\(number)") }
    }

    @Test(arguments: [1, 2]) func `while an errand blocks, the deputy serves all the loop's connections`(loops: Int)
        async throws
    {
        let gate = Gate()
        let server = try TestServer(loops: loops) { request, answer in gate.handle(request, &answer) }
        // More than there are loops: all of them are away at once, where there are two.
        let known = try (0..<4).map { _ in try server.connect() }
        for client in known { #expect(try await client.ask(get("/")).text == "/") }
        var away: [SocketClient] = []
        for number in 0..<4 {
            let client = try server.connect()
            await client.send(get("/wait/\(number)"))
            try #require(await eventually { gate.answers.withLock { $0.count } == number + 1 })
            away.append(client)
        }
        for round in 0..<50 {
            for client in known { #expect(try await client.ask(get("/\(round)")).text == "/\(round)") }
            // New connections, and an errand that the deputy has no time for.
            let fresh = try server.connect()
            #expect(try await fresh.ask(get("/errand/\(round)")).text == "/errand/\(round)")
        }
        let told = gate.answers.withLock { $0 }
        #expect((1...loops).contains(told.filter { $0 }.count), "an errand for each loop's own thread, no more")
        for _ in told { gate.opened.signal() }
        for (number, client) in away.enumerated() { #expect(try await client.reply().text == "/wait/\(number)") }
        // The deputy has just stood in, so others are likely to come during an errand; a while later not.
        #expect(try await known[0].ask(get("/errand/soon")).text == "/errand/soon")
        try await Task.sleep(for: Self.crowdEnds)
        #expect(try await known[0].ask(get("/errand/later")).text == "/errand/later")
        #expect(gate.answers.withLock { $0.last } == true)
    }

    @Test func `what other threads answer during an errand is sent at once`() async throws {
        let gate = Gate()
        let held = Lock<[Ticket]>([])
        let server = try TestServer { request, answer in
            guard request.pathText == "/ticket" else { return gate.handle(request, &answer) }
            let ticket = answer.later()
            held.withLock { $0.append(ticket) }
        }
        let (away, other) = (try server.connect(), try server.connect())
        for round in 0..<5 {
            try await Task.sleep(for: Self.crowdEnds)
            await other.send(get("/ticket"))
            try #require(await eventually { held.withLock { !$0.isEmpty } })
            await away.send(get("/wait"))
            try #require(await eventually { gate.answers.withLock { $0.count } == round + 1 })
            held.withLock { $0.removeFirst() }.answer(plain("ticket"))
            #expect(try await other.reply().text == "ticket")
            #expect(gate.answers.withLock { $0.last } == true, "the loop's own thread is away")
            gate.opened.signal()
            #expect(try await away.reply().text == "/wait")
        }
    }

    @Test func `time limits go on while an errand blocks, though nothing else comes`() async throws {
        let gate = Gate()
        var limits = Limits.patient
        limits.headTime = .seconds(2)
        let server = try TestServer(limits) { request, answer in gate.handle(request, &answer) }
        let away = try server.connect()
        #expect(try await away.ask(get("/")).text == "/")
        let slow = try server.connect()
        await slow.send("GET / HTTP/1.1\r\n")
        // These bytes are not to call the deputy, nor to share a turn with the request.
        try await Task.sleep(for: .milliseconds(100))
        await away.send(get("/wait"))
        try #require(await eventually { gate.answers.withLock { $0 } == [true] })
        #expect(try await slow.reply().status == 408)
        gate.opened.signal()
        #expect(try await away.reply().text == "/wait")
    }

    @Test func `a loop with many connections goes on no errands`() async throws {
        let gate = Gate()
        var options = ServerOptions(limits: .patient)
        options.mostCovered = 4
        let server = try TestServer(options: options) { request, answer in gate.handle(request, &answer) }
        var many = try (0..<4).map { _ in try server.connect() }
        for client in many { #expect(try await client.ask(get("/")).text == "/") }
        #expect(try await many[0].ask(get("/errand")).text == "/errand")
        many.append(try server.connect())
        #expect(try await many[4].ask(get("/")).text == "/")
        #expect(try await many[0].ask(get("/errand")).text == "/errand")
        #expect(gate.answers.withLock { $0 } == [true, false])
    }

    @Test func `a loop that stops ends its errand first, and loses no answer`() async throws {
        let gate = Gate()
        let server = try TestServer { request, answer in gate.handle(request, &answer) }
        let (away, other) = (try server.connect(), try server.connect())
        #expect(try await other.ask(get("/")).text == "/")
        await away.send(get("/wait"))
        try #require(await eventually { !gate.answers.withLock { $0.isEmpty } })
        async let took = server.stop(within: .seconds(30))
        // The deputy has read the message when it lets an idle connection go.
        #expect(await other.ending() == .closed(unread: 0))
        gate.opened.signal()
        #expect(try await away.reply().text == "/wait")
        #expect(await took < .seconds(20))
    }

    @Test func `no errand is left where no turn runs`() {
        #expect(!EventLoop.leaveToTurnsEnd { _ in Issue.record("nobody may run this") })
    }

    @Test func `errands, redirects and answers from elsewhere, all mixed, each reach their own request`() async throws {
        let server = try TestServer(loops: 2) { request, answer in
            let path = request.pathText
            let ticket = answer.later()
            let errand: Errand = { mayBlock in
                guard mayBlock else { return DispatchQueue.global().async { ticket.answer(plain(path)) } }
                usleep(UInt32(path.utf8.count % 5) * 100)
                ticket.answer(plain(path))
            }
            switch path.utf8.last {
            case UInt8(ascii: "e"): if !EventLoop.leaveToTurnsEnd(errand) { errand(false) }
            case UInt8(ascii: "t"): DispatchQueue.global().async { ticket.answer(plain(path)) }
            default: ticket.answer(plain(path))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    do {
                        let client = try server.connect()
                        for round in 0..<150 {
                            let paths = ["e", "t", "n"].map {
                                "/\(number)/\(round)" + String(repeating: "x", count: round % 5) + $0
                            }
                            await client.send(paths.map { get($0) }.joined())
                            for path in paths { #expect(try await client.reply().text == path) }
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
    }
}
