// What was acknowledged is there, whatever happens to the process.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct DurabilityTests {
    @Test func `a clean stop keeps every visit`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/")
        _ = try daemon.add("t", "https://example.com/")
        for _ in 0..<100 { _ = try daemon.get("/s") }
        for _ in 0..<7 { _ = try daemon.get("/t") }
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.visits("s") == 100)
        #expect(try daemon.visits("t") == 7)
        try daemon.start()
        for _ in 0..<11 { _ = try daemon.get("/s") }
        #expect(try daemon.stop(SIGINT) == .exit(0))
        #expect(try daemon.visits("s") == 111)
    }

    @Test func `visits under a foreign lock are kept, and redirects do not wait for it`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/")
        let lock = try Lock(daemon)
        var slowest = Duration.zero
        for _ in 0..<100 {
            let start = ContinuousClock.now
            #expect(try daemon.get("/s").status == 302)
            slowest = max(slowest, .now - start)
            usleep(30_000)
        }
        #expect(slowest < .seconds(1))
        let start = ContinuousClock.now
        daemon.child.send(SIGTERM)
        lock.release(after: .milliseconds(500))
        #expect(try daemon.child.wait() == .exit(0))
        #expect(.now - start < .seconds(5))
        #expect(try daemon.visits("s") == 100)
    }

    @Test func `visits that cannot be saved are told of once, and when they are saved again`() throws {
        let daemon = try TestDaemon(["STORE_WRITE_WAIT": "100ms"])
        _ = try daemon.add("s", "https://example.com/")
        let lock = try Lock(daemon)
        for _ in 0..<35 {
            #expect(try daemon.get("/s").status == 302)
            usleep(100_000)
        }
        lock.release(after: .zero)
        _ = try eventually("the end") { daemon.log.contains("visits are saved again") ? true : nil }
        #expect(daemon.log.components(separatedBy: "visits cannot be saved").count == 2, "\(daemon.log)")
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.visits("s") == 35)
    }

    @Test func `a kill costs at most the last second's visits`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/")
        for _ in 0..<60 { _ = try daemon.get("/s") }
        // The promised second, and what a busy machine may need to write.
        usleep(1_600_000)
        for _ in 0..<40 { _ = try daemon.get("/s") }
        #expect(try daemon.stop(SIGKILL) == .signal(SIGKILL))
        let visits = try #require(try daemon.visits("s"))
        #expect((60...100).contains(visits))
        try daemon.start()
        _ = try daemon.get("/s")
        try daemon.stop()
        #expect(try daemon.visits("s") == visits + 1)
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok")
    }

    @Test func `adds wait for a foreign lock and are then stored`() throws {
        let daemon = try TestDaemon()
        let lock = try Lock(daemon)
        let start = ContinuousClock.now
        lock.release(after: .seconds(3))
        let replies = together(8) { try? daemon.add("s\($0)", "https://example.com/") }
        #expect(replies.allSatisfy { $0?.outcome == "SUCCESS" })
        #expect(.now - start >= .seconds(3))
    }

    @Test func `under a lock that outlasts its wait a stop ends in time, and says which visits it lost`() throws {
        let daemon = try TestDaemon(["STORE_WRITE_WAIT": "500ms"])
        _ = try daemon.add("s", "https://example.com/")
        let lock = try Lock(daemon)
        for _ in 0..<7 { #expect(try daemon.get("/s").status == 302) }
        #expect(try daemon.stop() == .exit(0))
        #expect(daemon.log.contains("visits are lost"))
        #expect(daemon.log.contains("count=7"))
        lock.release(after: .zero)
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok")
        try daemon.start()
        #expect(try daemon.add("t", "https://example.com/").outcome == "SUCCESS")
    }

    @Test func `the log is small again after a reader that held it up has gone`() throws {
        let daemon = try TestDaemon()
        let reader = try Lock(daemon, begin: "BEGIN; SELECT count(*) FROM link")
        var size: Int { (try? FileManager.default.attributesOfItem(atPath: daemon.database + "-wal")[.size] as? Int) ?? 0 }
        try daemon.fill(400_000)
        let bound = 17 << 20  // journal_size_limit, and a few pages of whoever comes meanwhile
        #expect(size > bound + (8 << 20), "the reader keeps the log from being used again")
        for index in 0..<4 { #expect(try daemon.add("a\(index)", "https://example.com/").outcome == "SUCCESS") }
        #expect(size > bound)
        reader.release(after: .zero)
        var count = 0
        _ = try eventually("the log to be cut back; it has \(size) bytes") { () throws -> Bool? in
            count += 1
            #expect(try daemon.add("b\(count)", "https://example.com/").outcome == "SUCCESS")
            return size <= bound ? true : nil
        }
        #expect(try daemon.get("/l7").status == 302)
    }

    @Test func `adds go on beside a foreign lock and a foreign snapshot`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/")
        // A reader that stays, and a writer that comes in between: a write that had read first would fail at once.
        let reader = try Lock(daemon, begin: "BEGIN; SELECT count(*) FROM link")
        let stop = Counter()
        let results = together(21) { thread -> [Int] in
            if thread == 20 {
                for _ in 0..<2 {
                    let lock = try? Lock(daemon)
                    usleep(2_000_000)
                    lock?.release(after: .zero)
                    usleep(500_000)
                }
                stop.add(1)
                return []
            }
            var statuses: [Int] = []
            while stop.value == 0 {
                let reply = try? daemon.add("t\(thread)-\(statuses.count)", "https://example.com/")
                statuses.append(reply?.outcome == "SUCCESS" ? 201 : reply?.status ?? 0)
                if (try? daemon.get("/s").status) != 302 { statuses.append(-1) }
            }
            return statuses
        }.flatMap { $0 }
        #expect(results.allSatisfy { $0 == 201 })
        #expect(results.count > 40)
        reader.release(after: .zero)
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.visits("s") == results.count)
        #expect(try daemon.sql("SELECT count(*) FROM link") == "\(results.count + 1)")
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok")
    }

    @Test func `adds past the write wait are refused and not stored`() throws {
        let daemon = try TestDaemon(["STORE_WRITE_WAIT": "300ms"])
        _ = try daemon.add("old", "https://example.com/")
        let lock = try Lock(daemon)
        let refused = try daemon.add("s", "https://example.com/")
        #expect(refused.status == 503)
        #expect(refused.outcome == "FAILURE")
        #expect(refused["Retry-After"] != nil)
        #expect(try daemon.get("/old").status == 302)
        #expect(try daemon.get("/s").status == 404)
        let health = try daemon.get("/healthz")
        #expect(health.status == 503)
        #expect(health.json?["reason"]?.isEmpty == false)
        lock.release(after: .zero)
        _ = try eventually("the store's health") { try daemon.get("/healthz").status == 200 ? true : nil }
        #expect(try daemon.add("s", "https://example.com/").outcome == "SUCCESS")
        #expect(try daemon.visits("old") != nil)
    }

    @Test func `one store has one daemon`() throws {
        let daemon = try TestDaemon()
        let second = try Program.run(
            ["serve", "--listen", "127.0.0.1:0", "--database", daemon.database], in: daemon.folder)
        #expect(second.ending == .exit(1))
        #expect(second.errors.contains(daemon.database))
        #expect(second.output.isEmpty)
        #expect(try daemon.get("/healthz").status == 200)
        // The kernel lets go of the lock with the process.
        try daemon.stop(SIGKILL)
        try daemon.start()
    }
}

/// A number that threads share.
final class Counter: @unchecked Sendable {
    // Sendable by hand: all access is under the lock.
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }

    func add(_ number: Int) { lock.withLock { count += number } }
}

/// Another program's write lock on a daemon's store.
final class Lock {
    private let child: Child
    private let flag: String
    private let folder: TemporaryFolder

    /// Returns once `begin` was done; what that took lasts until `release`, or until the daemon's folder is gone.
    init(_ daemon: TestDaemon, begin: String = "BEGIN IMMEDIATE") throws {
        folder = daemon.folder
        flag = daemon.folder.file("release-\(UUID().uuidString)")
        let (held, tool) = (flag + ".held", Program.find("sqlite3") ?? "sqlite3")
        let script = """
            .timeout 5000
            \(begin);
            .shell touch \(held); while test -e \(held) && ! test -e \(flag); do sleep 0.02; done
            ROLLBACK;
            """
        let file = try daemon.folder.write(script, to: "lock-\(UUID().uuidString).sql")
        child = try Child(
            ["/bin/sh", "-c", "exec \(tool) \(daemon.database) < \(file)"], environment: Program.plainEnvironment,
            folder: daemon.folder.path)
        let child = child
        _ = try eventually("the lock; sqlite3 said: \(child.errors)") {
            FileManager.default.fileExists(atPath: held) ? true : nil
        }
    }

    deinit { release(after: .zero) }

    /// Lets go, now or a little later on another thread.
    func release(after delay: Duration) {
        let flag = flag
        let now: @Sendable () -> Void = { _ = FileManager.default.createFile(atPath: flag, contents: nil) }
        if delay == .zero { return now() }
        Thread.detachNewThread {
            usleep(UInt32(delay / .microseconds(1)))
            now()
        }
    }
}
