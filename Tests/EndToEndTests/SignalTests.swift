// How the daemon ends.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct SignalTests {
    @Test(arguments: [SIGTERM, SIGINT]) func `with nothing running it ends at once with 0`(_ signal: Int32) throws {
        let daemon = try TestDaemon()
        // Idle connections, used and fresh, hold nothing up.
        let used = try daemon.connect()
        try used.send("GET / HTTP/1.1\r\nHost: s.test\r\n\r\n")
        _ = try used.reply()
        let fresh = try daemon.connect()
        let start = ContinuousClock.now
        #expect(try daemon.stop(signal) == .exit(0))
        #expect(.now - start < .milliseconds(1_500))
        #expect(try used.read().isEmpty)
        #expect((try? fresh.read())?.isEmpty ?? true)
        #expect(daemon.log.contains("stopped"))
        #expect(throws: Trouble.self) { _ = try daemon.connect() }
    }

    @Test func `a request that is running is answered before the end`() throws {
        let daemon = try TestDaemon()
        let wire = try Self.halfAnAdd(daemon)
        let start = ContinuousClock.now
        daemon.child.send(SIGTERM)
        // Whoever comes now is refused, not left waiting.
        _ = try eventually("the end of listening") { (try? daemon.connect()) == nil ? true : nil }
        usleep(300_000)
        #expect(throws: Trouble.self) { _ = try daemon.connect() }
        #expect(daemon.child.poll() == nil)
        try wire.send("https://example.com/")
        let reply = try wire.reply()
        #expect(reply.outcome == "SUCCESS")
        #expect(reply["Connection"] == "close")
        #expect(try daemon.child.wait() == .exit(0))
        #expect(.now - start < .seconds(4))
        try daemon.start()
        #expect(try daemon.get("/slow").status == 302)
    }

    @Test func `a request that takes too long is given up`() throws {
        let daemon = try TestDaemon(["SERVER_STOP_WAIT": "500ms"])
        let wire = try Self.halfAnAdd(daemon)
        let start = ContinuousClock.now
        #expect(try daemon.stop() == .exit(0))
        #expect(.now - start > .milliseconds(400))
        #expect(.now - start < .seconds(3))
        _ = wire
    }

    @Test func `a second signal ends it at once`() throws {
        let daemon = try TestDaemon(["SERVER_STOP_WAIT": "60s"])
        let wire = try Self.halfAnAdd(daemon)
        daemon.child.send(SIGTERM)
        _ = try eventually("the word that it stops") { daemon.log.contains("stopping") ? true : nil }
        usleep(100_000)
        #expect(daemon.child.poll() == nil)
        let start = ContinuousClock.now
        daemon.child.send(SIGTERM)
        let ending = try daemon.child.wait()
        #expect(ending != .exit(0))
        #expect(.now - start < .seconds(10))
        _ = wire
    }

    @Test func `a signal during the start is obeyed`() throws {
        let folder = try TemporaryFolder()
        for delay: UInt32 in [0, 2_000, 5_000, 10_000, 20_000, 40_000] {
            let child = try Child(
                [Program.path, "serve", "--listen", "127.0.0.1:0", "--database", folder.file("s.db")],
                environment: Program.plainEnvironment, folder: folder.path)
            usleep(delay)
            child.send(SIGTERM)
            let ending = try child.wait(within: .seconds(5))
            // Before the program has set up anything the kernel ends it.
            #expect(ending == .exit(0) || ending == .signal(SIGTERM))
        }
    }

    @Test func `it is a good process 1`() throws {
        let unshare = ["--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"]
        let probe = try TemporaryFolder()
        guard let tool = Program.find("unshare"), try Program.run(tool: "unshare", unshare + ["true"], in: probe).isSuccess
        else {
            try Test.cancel("unshare(1) may not make a PID namespace here")
        }
        let daemon = try TestDaemon(wrapper: [tool] + unshare)
        _ = try daemon.add("s", "https://example.com/")
        for _ in 0..<10 { _ = try daemon.get("/s") }
        let wrapper = daemon.child.pid
        let children = try String(contentsOfFile: "/proc/\(wrapper)/task/\(wrapper)/children", encoding: .utf8)
        let first = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
        let start = ContinuousClock.now
        kill(first, SIGTERM)
        #expect(try daemon.child.wait() == .exit(0))
        #expect(.now - start < .milliseconds(1_500))
        #expect(daemon.log.contains("stopped"))
        #expect(try daemon.visits("s") == 10)
    }

    @Test func `requests that were sent before the signal are answered`() throws {
        for _ in 0..<5 {
            let daemon = try TestDaemon()
            _ = try daemon.add("s", "https://example.com/")
            let used = try (0..<10).map { _ in try daemon.connect() }
            for wire in used {
                try wire.send("GET / HTTP/1.1\r\nHost: s.test\r\n\r\n")
                _ = try wire.reply()
            }
            // The kernel has taken all of it when send returns, whether the daemon has looked or not.
            let wires = try used + (0..<10).map { _ in try daemon.connect() }
            for wire in wires { try wire.send("GET /s HTTP/1.1\r\nHost: s.test\r\n\r\n") }
            daemon.child.send(SIGTERM)
            for wire in wires { #expect(try wire.reply().status == 302) }
            #expect(try daemon.child.wait() == .exit(0))
            #expect(try daemon.visits("s") == 20)
        }
    }

    /// A connection on which an add is running that lacks its URL.
    private static func halfAnAdd(_ daemon: TestDaemon) throws -> Wire {
        let wire = try daemon.connect()
        let start = "key=my_key&url_slug=slow&url="
        // The interim answer says that the daemon has read the head.
        try wire.send(
            "POST /api-add HTTP/1.1\r\nHost: s.test\r\nExpect: 100-continue\r\nContent-Length: \(start.utf8.count + 20)\r\n\r\n"
        )
        guard try wire.reply().status == 100 else { throw Trouble("no interim answer") }
        try wire.send(start)
        return wire
    }
}
