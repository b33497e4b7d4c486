// The memory of draws by itself: who waits, who is told, and how much is kept.
import Dispatch
import Foundation
import Shortening
import Telemetry
import Testing

@testable import Web

@Suite struct DrawnSessionsTests {
    private let flowers = CollectionName(stored: "flowers")

    private func key(_ number: Int) throws -> DrawnSessions.Key { try #require(DrawnSessions.Key(flowers, "\(number)")) }

    private func draw(_ sessions: DrawnSessions, _ number: Int, _ link: Int64) throws {
        sessions.begin(try key(number))
        sessions.end(try key(number), LinkID(rawValue: link))
    }

    /// What `find` says, and after how many seconds.
    private func find(_ sessions: DrawnSessions, _ number: Int) throws -> (link: Int64?, seconds: Double) {
        let (done, found, start) = (DispatchSemaphore(value: 0), Lock<Int64?>(nil), ContinuousClock.now)
        sessions.find(try key(number)) { link in
            found.withLock { $0 = link?.rawValue }
            done.signal()
        }
        done.wait()
        return (found.withLock { $0 }, (ContinuousClock.now - start) / .seconds(1))
    }

    @Test func `a session is a short text`() {
        #expect(DrawnSessions.Key(flowers, nil) == nil && DrawnSessions.Key(flowers, "") == nil)
        #expect(DrawnSessions.Key(flowers, String(repeating: "x", count: 64)) != nil)
        #expect(DrawnSessions.Key(flowers, String(repeating: "x", count: 65)) == nil)
        #expect(DrawnSessions.Key(flowers, "1") != DrawnSessions.Key(CollectionName(stored: "x"), "1"))
    }

    @Test func `however many sessions come, a bounded number is kept, the latest surely`() throws {
        let sessions = DrawnSessions(patience: .milliseconds(1), capacity: 100)
        for number in 0..<1000 { try draw(sessions, number, Int64(number)) }
        #expect(sessions.count <= 200)
        for number in 900..<1000 { #expect(try find(sessions, number).link == Int64(number)) }
        #expect(try find(sessions, 0).link == nil)
    }

    @Test func `one session that draws for ever fills nothing`() throws {
        let sessions = DrawnSessions(patience: .seconds(2), capacity: 2)
        for number in 0..<100 { try draw(sessions, 1, Int64(number)) }
        #expect(sessions.count <= 2)
        #expect(try find(sessions, 1).link == 99)
    }

    @Test func `a draw is forgotten in time`() throws {
        let sessions = DrawnSessions(patience: .milliseconds(1), memory: .seconds(1))
        try draw(sessions, 1, 7)
        #expect(try find(sessions, 1).link == 7)
        Thread.sleep(forTimeInterval: 1.1)
        #expect(try find(sessions, 1).link == nil)
    }

    @Test func `while a draw is on its way nobody is told of the one before`() throws {
        let sessions = DrawnSessions(patience: .seconds(60))
        try draw(sessions, 1, 7)
        sessions.begin(try key(1))
        let (told, done) = (Lock<Int64?>(nil), DispatchSemaphore(value: 0))
        sessions.find(try key(1)) { link in
            told.withLock { $0 = link?.rawValue }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 0.05) == .timedOut)
        sessions.end(try key(1), LinkID(rawValue: 8))
        done.wait()
        #expect(told.withLock { $0 } == 8)
    }

    @Test func `all who wait for one draw are told of it, the others in their own time`() throws {
        let sessions = DrawnSessions(patience: .milliseconds(1500))
        let (group, told, start) = (DispatchGroup(), Lock<[Int64?: Int]>([:]), ContinuousClock.now)
        for number in 0..<60 {
            group.enter()
            sessions.find(try key(number % 3)) { link in
                told.withLock { $0[link?.rawValue, default: 0] += 1 }
                group.leave()
            }
            Thread.sleep(forTimeInterval: 0.005)
        }
        try draw(sessions, 1, 5)
        group.wait()
        #expect(told.withLock { $0 } == [5: 20, nil: 40])
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(seconds > 1.7, "the last came after 0.3 s and waited 1.5: \(seconds)")
        // And the clock that told them starts again for whoever comes later.
        #expect(try find(sessions, 9).seconds >= 1.49)
    }

    @Test func `beyond the limit of waiters nobody waits`() throws {
        let sessions = DrawnSessions(patience: .seconds(1), waiterLimit: 5)
        let (group, told) = (DispatchGroup(), Lock(0))
        for number in 0..<5 {
            group.enter()
            sessions.find(try key(number)) { _ in
                told.withLock { $0 += 1 }
                group.leave()
            }
        }
        let isTold = Lock(false)
        sessions.find(try key(9)) { link in isTold.withLock { $0 = link == nil } }
        #expect(isTold.withLock { $0 }, "at once")
        group.wait()
        #expect(try find(sessions, 9).seconds >= 0.99, "there is room again")
    }

    @Test func `a draw that comes to nothing leaves the waiting to the clock`() throws {
        let sessions = DrawnSessions(patience: .milliseconds(100))
        sessions.begin(try key(1))
        sessions.end(try key(1), nil)
        #expect(try find(sessions, 1).link == nil)
    }
}
