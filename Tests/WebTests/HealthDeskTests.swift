// Health checks by the hundred cost the store one probe, and nobody else a thread.
import MemoryStore
import Shortening
import Testing

@testable import Web

struct HealthDeskTests {
    @Test func `whoever waits together is answered by one probe`() async throws {
        let store = MemoryStore()
        let desk = HealthDesk(store)
        store.healthGate.shut()
        let problems = await withTaskGroup(of: StoreError?.self) { group in
            for _ in 0..<200 {
                group.addTask { await withCheckedContinuation { waiter in desk.ask { waiter.resume(returning: $0) } } }
            }
            try? await Task.sleep(for: .milliseconds(100))
            store.healthGate.open()
            return await group.reduce(into: [StoreError?]()) { $0.append($1) }
        }
        #expect(problems.count == 200 && problems.allSatisfy { $0 == nil })
        // The one that was under way, one for all who came meanwhile, and a few for who came late.
        #expect(store.healthGate.count < 20)
    }

    @Test func `a problem is told to everybody who asked, and its end too`() async {
        let store = MemoryStore()
        let desk = HealthDesk(store)
        func ask() async -> StoreError? {
            await withCheckedContinuation { waiter in desk.ask { waiter.resume(returning: $0) } }
        }
        store.fail(.full)
        #expect(await ask() == .full)
        store.fail(nil)
        #expect(await ask() == nil)
    }
}
