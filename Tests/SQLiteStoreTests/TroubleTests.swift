// What keeps a store from its work is told once, and when it is over.
import Shortening
import Synchronization
import Telemetry
import Testing

@testable import SQLiteStore

@Suite struct TroubleTests {
    /// What was told; nil is the end.
    private final class Log: Sendable {
        let told = Lock<[StoreError?]>([])

        func trouble(calm: UInt64) -> Trouble {
            Trouble(in: .changes, calm: calm) { area, error in
                #expect(area == .changes)
                self.told.withLock { $0.append(error) }
            }
        }
    }

    @Test func `each error is told once, and the end`() {
        let log = Log()
        let trouble = log.trouble(calm: 0)
        trouble.passed()
        #expect(!trouble.isThere)
        for _ in 0..<3 { for error in [StoreError.full, .busy] { trouble.met(error) } }
        #expect(trouble.isThere)
        trouble.passed()
        trouble.passed()
        #expect(!trouble.isThere)
        trouble.met(.full)
        #expect(log.told.withLock { $0 } == [.full, .busy, nil, .full])
    }

    @Test func `it is not over with the first thing that goes well`() {
        let log = Log()
        let trouble = log.trouble(calm: 3_600_000_000_000)
        for _ in 0..<3 {
            trouble.met(.full)
            trouble.passed()
        }
        #expect(log.told.withLock { $0 } == [.full])
        #expect(trouble.isThere)
    }

    @Test func `files that are not what they were are no trouble of the changes`() {
        let log = Log()
        let trouble = log.trouble(calm: 0)
        trouble.met(.displaced("moved"))
        trouble.passed()
        #expect(!trouble.isThere && log.told.withLock { $0.isEmpty })
    }

    @Test func `errors without an end do not fill a log`() {
        let log = Log()
        let trouble = log.trouble(calm: 0)
        for number in 0..<1000 { trouble.met(.failed("\(number)")) }
        trouble.passed()
        #expect(log.told.withLock { $0.count } == 9)
    }
}
