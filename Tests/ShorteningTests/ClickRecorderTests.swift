import Dispatch
import Glibc
import MemoryStore
import Telemetry
import Testing

@testable import Shortening

/// Visits on their way to a store that does not always take them.
struct ClickRecorderTests {
    private let store = MemoryStore()
    private let cache: HotCache

    init() { cache = HotCache(bytes: 1 << 20, generations: store.generations) }

    private func visit(_ link: Int64, _ times: Int) {
        for _ in 0..<times { cache.count(Slug(stored: "s\(link)"), LinkID(rawValue: link)) }
    }

    private func stop(_ recorder: ClickRecorder) async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "test.stop").async {
                recorder.stop()
                continuation.resume()
            }
        }
    }

    private func eventually(_ isSo: () -> Bool) async -> Bool {
        for _ in 0..<3_000 {
            if isSo() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return isSo()
    }

    private var quiet: Log { Log(level: .error) }

    @Test func `a stop saves every visit, each once`() async {
        let recorder = ClickRecorder(cache: cache, store: store, log: quiet)
        recorder.start()
        visit(1, 3)
        visit(2, 1)
        visit(1, 2)
        await stop(recorder)
        #expect(store.clicks == [LinkID(rawValue: 1): 5, LinkID(rawValue: 2): 1])
        #expect(store.records == 1)
    }

    @Test func `a stop with nothing to save asks nothing of the store`() async {
        let recorder = ClickRecorder(cache: cache, store: store, log: quiet)
        recorder.start()
        await stop(recorder)
        #expect(store.records == 0)
    }

    @Test func `visits are saved every second without being asked for`() async {
        let recorder = ClickRecorder(cache: cache, store: store, log: quiet)
        recorder.start()
        visit(1, 7)
        #expect(await eventually { store.clicks == [LinkID(rawValue: 1): 7] })
        await stop(recorder)
        #expect(store.clicks == [LinkID(rawValue: 1): 7])
    }

    @Test func `what a failing store does not take is brought again, and nothing twice`() async {
        store.fail(.full)
        let recorder = ClickRecorder(cache: cache, store: store, log: quiet)
        recorder.start()
        visit(1, 4)
        visit(2, 1)
        #expect(await eventually { store.records >= 1 })
        visit(1, 2)
        #expect(await eventually { store.records >= 2 })
        store.fail(nil)
        visit(3, 1)
        await stop(recorder)
        #expect(store.clicks == [LinkID(rawValue: 1): 6, LinkID(rawValue: 2): 1, LinkID(rawValue: 3): 1])
    }

    @Test func `a save that fails while the recorder stops is not lost`() async {
        store.hold()
        let recorder = ClickRecorder(cache: cache, store: store, log: quiet)
        recorder.start()
        visit(1, 4)
        #expect(await eventually { store.records == 1 })
        visit(1, 1)
        store.fail(.busy, times: 1)
        async let stopped: Void = stop(recorder)
        try? await Task.sleep(for: .milliseconds(50))
        store.release()
        await stopped
        #expect(store.clicks == [LinkID(rawValue: 1): 5])
    }

    @Test func `a recorder that was never started ends quietly`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let store = MemoryStore()
            do {
                let cache = HotCache(bytes: 1 << 20, generations: store.generations)
                _ = ClickRecorder(cache: cache, store: store, log: Log(level: .error))
            }
            exit(7)
        }
    }
}
