// Where end-to-end tests run: on a few threads of their own, because they wait for processes and sockets by blocking, which
// the shared threads of Swift's concurrency must not do. It knows nothing of what is tested.
internal import Foundation
internal import Testing

/// Runs jobs on threads that may block; as many tests at a time as it has threads.
final class Bench: TaskExecutor, @unchecked Sendable {
    // Sendable by hand: `jobs` is touched under the condition's lock only.

    /// More than cores, since most of a test's time is waiting.
    static let shared = Bench(threads: 6)

    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    private init(threads: Int) {
        for _ in 0..<threads { Thread.detachNewThread { [self] in work() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func work() -> Never {
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            condition.unlock()
            // The executor lives as long as the process.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Has every test of a suite run on the bench.
struct AtTheBench: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Bench.shared) { try await function() }
    }
}

extension Trait where Self == AtTheBench {
    static var atTheBench: AtTheBench { AtTheBench() }
}

/// Runs `bodies` each on a thread of its own and returns their results in order. Blocks until all are done.
func together<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Value) -> [Value] {
    let results = Collected<Value>()
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread.detachNewThread {
            results.set(index, body(index))
            group.leave()
        }
    }
    group.wait()
    return results.inOrder
}

/// Results by index, from any thread.
private final class Collected<Value: Sendable>: @unchecked Sendable {
    // Sendable by hand: all access is under the lock.
    private let lock = NSLock()
    private var values: [Int: Value] = [:]

    func set(_ index: Int, _ value: Value) { lock.withLock { values[index] = value } }

    var inOrder: [Value] { lock.withLock { values.sorted { $0.key < $1.key }.map(\.value) } }
}
