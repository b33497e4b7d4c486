// Transactions on the thread that asked for the change (`SQLiteStore.Options.offersWork`).
import Dispatch
import Foundation
import Shortening
import Telemetry
import Testing

@testable import SQLiteStore

@Suite struct OfferedWorkTests {
    private typealias Work = @Sendable (_ mayBlock: Bool) -> Void

    /// Adds a link and says what came of it and, by the second value, whether that was known when the call returned.
    private func add(_ slug: String, to store: SQLiteStore) async throws -> (AddOutcome, isAtOnce: Bool) {
        let atOnce = Lock<Result<AddOutcome, StoreError>?>(nil)
        let isReturned = Lock(false)
        let outcome: Result<AddOutcome, StoreError> = await withCheckedContinuation { caller in
            store.add(chosen(slug)) { outcome in
                if !isReturned.withLock({ $0 }) { atOnce.withLock { $0 = outcome } }
                caller.resume(returning: outcome)
            }
            isReturned.withLock { $0 = true }
        }
        return (try outcome.get(), atOnce.withLock { $0 != nil })
    }

    @Test func `a thread that takes the work has its link on the disk when the call returns, and the log stays short`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try folder.open {
            $0.logLimit = 12
            $0.offersWork = { work in
                work(true)
                return true
            }
        }
        defer { store.close() }
        for number in 0..<200 {
            let (outcome, isAtOnce) = try await add("s\(number)", to: store)
            guard case .added(let slug, _) = outcome else { throw Unexpected.taken("s\(number)") }
            #expect(slug.text == "s\(number)")
            #expect(isAtOnce)
        }
        let size = try #require(StoreFile.size(of: folder.database + "-wal"))
        // 200 transactions have more than 600 pages.
        #expect(size < 200 * 4120, "the log was worked off in between")
        #expect(try await store.url("s199") != nil)
    }

    @Test func `work that is offered is done by the store itself where it is not taken, or given back`() async throws {
        for answer in [nil, false] as [Bool?] {
            let folder = try TemporaryFolder()
            let offers = Lock(0)
            let store = try folder.open {
                $0.offersWork = { work in
                    offers.withLock { $0 += 1 }
                    if let answer { work(answer) }
                    return answer != nil
                }
            }
            defer { store.close() }
            for number in 0..<20 { try await store.adding("s\(number)", "https://example.com/") }
            // A link that comes before the last transaction has quite ended is taken along.
            #expect((1...20).contains(offers.withLock { $0 }))
            #expect(try store.walk(.all).count == 20)
        }
    }

    @Test func `what comes before the work is begun shares its transaction, and what comes later is not left behind`()
        async throws
    {
        let folder = try TemporaryFolder()
        let kept = Lock<[Work]>([])
        let store = try folder.open {
            $0.offersWork = { work in
                kept.withLock { $0.append(work) }
                return true
            }
        }
        let answered = Lock(0)
        func add(_ numbers: Range<Int>) {
            for number in numbers { store.add(chosen("s\(number)")) { _ in answered.withLock { $0 += 1 } } }
        }
        add(0..<50)
        #expect(kept.withLock { $0.count } == 1, "one transaction for all that wait")
        #expect(answered.withLock { $0 } == 0)
        let work = try #require(kept.withLock { $0.popLast() })
        await lend(work)
        #expect(answered.withLock { $0 } == 50)
        // More than one transaction takes: the thread does the first, the store the others.
        add(50..<1200)
        let more = try #require(kept.withLock { $0.popLast() })
        await lend(more)
        #expect(await eventually { answered.withLock { $0 } == 1200 })
        #expect(try store.walk(.all).count == 1200)
        store.close()
    }

    @Test func `a thread that has lent itself does not wait for another process's lock`() async throws {
        let folder = try TemporaryFolder()
        let durations = Lock<[Duration]>([])
        let store = try folder.open {
            $0.offersWork = { work in
                let took = ContinuousClock().measure { work(true) }
                durations.withLock { $0.append(took) }
                return true
            }
        }
        defer { store.close() }
        let other = try outsider(folder.database, "BEGIN IMMEDIATE")
        async let added = store.adding("during", "https://example.com/")
        try await Task.sleep(for: .milliseconds(700))
        try other.execute("COMMIT")
        _ = try await added
        #expect(durations.withLock { $0.count } == 1)
        #expect(durations.withLock { $0.allSatisfy { $0 < .milliseconds(500) } })
    }

    private func lend(_ work: @escaping Work) async {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                work(true)
                done.resume()
            }
        }
    }

    /// Within half a minute.
    private func eventually(_ isSo: () -> Bool) async -> Bool {
        for _ in 0..<3_000 where !isSo() { try? await Task.sleep(for: .milliseconds(10)) }
        return isSo()
    }
}
