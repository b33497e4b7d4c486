// The ways in which a request ends before its answer: the clock, the caller, the squeezer's own end.
import Foundation
import SqueezeKit
import Testing

struct EndingTests {
    @Test(arguments: [true, false])
    func `a server that is silent or slow is given up when the time is over`(isSilent: Bool) async throws {
        let server = try WireServer { _ in isSilent ? .silence : .drip }
        let start = ContinuousClock.now
        let error = await #expect(throws: SqueezeError.self) {
            try await squeezer(server.address, timeout: .milliseconds(300)).shortenURL(longURL: "http://a.example")
        }
        #expect(error == .timedOut(after: .milliseconds(300)))
        #expect(error?.localizedDescription.contains("0.3 seconds") == true)
        #expect((.milliseconds(300)...Duration.seconds(5)).contains(ContinuousClock.now - start))
        #expect(try await server.waitForHangUps(1))
    }

    @Test func `cancelling the task ends the transfer`() async throws {
        let server = try WireServer { _ in .silence }
        let squeezer = try squeezer(server.address)
        let task = Task { try await squeezer.shortenURL(longURL: "http://a.example") }
        #expect(try await server.waitForRequests(1))
        task.cancel()
        await #expect(throws: SqueezeError.cancelled) { try await task.value }
        #expect(try await server.waitForHangUps(1))
    }

    @Test func `a task cancelled beforehand sends nothing`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let squeezer = try squeezer(server.address)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await squeezer.shortenURL(longURL: "http://a.example")
        }
        task.cancel()
        await #expect(throws: SqueezeError.cancelled) { try await task.value }
        #expect(server.requests.isEmpty)
    }

    @Test func `many cancelled at any moment each end once`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let squeezer = try squeezer(server.address)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let task = Task {
                        try await squeezer.shortenURL(longURL: "http://a.example")
                    }
                    try? await Task.sleep(for: .microseconds(number * 20))
                    task.cancel()
                    return switch await task.result {
                    case .success: true
                    case .failure(let error): error as? SqueezeError == .cancelled
                    }
                }
            }
            for await isExpected in group { #expect(isExpected) }
        }
    }

    @Test func `the completion handler gets the short URL`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        let squeezer = try squeezer(server.address)
        let outcome = await withCheckedContinuation { continuation in
            squeezer.shortenURL(longURL: "http://a.example") { continuation.resume(returning: $0) }
        }
        #expect(try outcome.get().absoluteString == "http://s.test/ab")
    }

    @Test func `the completion handler gets the error, also of what was never sent`() async throws {
        let server = try WireServer { _ in .answer(403, "ERROR 403: unknown account key") }
        let squeezer = try squeezer(server.address)
        for (longURL, error) in [("http://a.example", SqueezeError.unknownKey), ("", .invalidLongURL(""))] {
            let outcome = await withCheckedContinuation { continuation in
                squeezer.shortenURL(longURL: longURL) { continuation.resume(returning: $0) }
            }
            #expect(outcome == .failure(error))
        }
    }

    @Test func `cancelling the transfer calls its handler once and hangs up`() async throws {
        let server = try WireServer { _ in .silence }
        let squeezer = try squeezer(server.address)
        let (outcomes, continuation) = AsyncStream.makeStream(of: Squeezer.Outcome.self)
        let transfer = squeezer.shortenURL(longURL: "http://a.example") { continuation.yield($0) }
        #expect(try await server.waitForRequests(1))
        transfer.cancel()
        transfer.cancel()
        #expect(try await server.waitForHangUps(1))
        try await Task.sleep(for: .milliseconds(100))
        continuation.finish()
        #expect(await outcomes.reduce(into: []) { $0.append($1) } == [.failure(.cancelled)])
    }

    @Test func `a request outlives the last reference to its squeezer`() async throws {
        let server = try WireServer { _ in
            usleep(200_000)
            return .answer(200, "http://s.test/ab")
        }
        let account = try Squeezer.Account(server: server.address, key: key)
        let outcome = await withCheckedContinuation { continuation in
            Squeezer(account: account).shortenURL(longURL: "http://a.example") { continuation.resume(returning: $0) }
        }
        #expect(try outcome.get().absoluteString == "http://s.test/ab")
    }

    @Test func `a squeezer that goes closes its connections`() async throws {
        let server = try WireServer { _ in .answer(200, "http://s.test/ab") }
        do { _ = try await squeezer(server.address).shortenURL(longURL: "http://a.example") }
        #expect(try await server.waitForHangUps(1))
    }
}
