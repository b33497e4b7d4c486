// The wall clock is set back and forward under a running daemon: what lasts a while lasts that while, and nothing else goes by it.
internal import Foundation
internal import Glibc
internal import Sanitizer
internal import Testing

@Suite(.atTheBench, .disabled(if: Sanitizer.isOn, "libfaketime and a sanitizer both want to come first"))
struct ClockTests {
    /// A daemon whose wall clock is told by a file; the monotonic one is left alone, as a real machine's is (clock_gettime(2)).
    private final class FakedClock {
        let daemon: TestDaemon
        private let file: String

        /// Its clock begins at `start`, as faketime(1) takes it. Ends the test where there is no faketime.
        init(_ settings: [String: String] = [:], start: String) throws {
            let (tool, setpriv) = try Self.tools()
            let folder = try TemporaryFolder()
            file = folder.file("clock")
            try Data((start + "\n").utf8).write(to: URL(filePath: file))
            // The tool makes what its library needs in shared memory: the library would do it itself and set a variable of the
            // environment, by which Swift's runtime would not find the program's arguments any more. It waits for the daemon
            // and ends as that does; the daemon must not outlive it.
            let wrapper = [
                tool, "-m", "--exclude-monotonic", "-f", "+0d", setpriv, "--pdeathsig", "KILL", "--", "/usr/bin/env", "-u",
                "FAKETIME", "FAKETIME_NO_CACHE=1", "FAKETIME_TIMESTAMP_FILE=\(file)",
            ]
            daemon = try TestDaemon(settings, folder: folder, wrapper: wrapper)
        }

        private static func tools() throws -> (faketime: String, setpriv: String) {
            guard let faketime = Program.find("faketime"), let setpriv = Program.find("setpriv") else {
                try Test.cancel("faketime is not installed")
            }
            return (faketime, setpriv)
        }

        func set(_ time: String) throws {
            try Data((time + "\n").utf8).write(to: URL(filePath: file), options: .atomic)
        }

        /// Asks the daemon itself to stop, whom the tool does not tell of signals.
        func stop() throws -> Ending {
            let pid = daemon.child.pid
            let children = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
            let child = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
            kill(child, SIGTERM)
            return try daemon.child.wait()
        }

        /// When the newest link was made, in seconds since 1970: what the daemon takes the time for.
        func lastCreated() throws -> Int {
            try Int(daemon.sql("SELECT created FROM link ORDER BY id DESC LIMIT 1")) ?? 0
        }
    }

    private static let day = 86_400
    private static var now: Int { Int(Date().timeIntervalSince1970) }

    /// Adds ten links without slugs, follows one, and expects all to go well; returns the slugs.
    private func use(_ daemon: TestDaemon, location: SourceLocation = #_sourceLocation) throws -> [String] {
        var slugs: [String] = []
        for index in 0..<10 {
            let reply = try daemon.add(nil, "https://example.com/\(index)")
            #expect(reply.outcome == "SUCCESS", "\(reply.text)", sourceLocation: location)
            slugs.append(try #require(reply.json?["Url_Slug"]))
        }
        #expect(try daemon.get("/" + slugs[0]).status == 302, sourceLocation: location)
        return slugs
    }

    /// By the wall clock the minute would be over at once, or would take two hours. SHORTY_TEST_WHOLE_MINUTE waits for its end too.
    @Test func `a brake opens after its real length though the clock is set back and forward`() throws {
        let clock = try FakedClock(["LIMITS_WRONG_KEYS": "3"], start: "+0d")
        let daemon = clock.daemon
        let begin = ContinuousClock.now
        var statuses = [try daemon.add("s", "u", key: "wrong").status]
        let begun = ContinuousClock.now
        for _ in 0..<3 { statuses.append(try daemon.add("s", "u", key: "wrong").status) }
        #expect(statuses == [403, 403, 403, 429])
        var left = 60
        for (slug, time, offset) in [("back", "-2h", -7200), ("forward", "+2h", 7200)] {
            try clock.set(time)
            #expect(try daemon.add(slug, "https://example.com/").outcome == "SUCCESS")
            #expect(try abs(clock.lastCreated() - (Self.now + offset)) < 300, "the clock was set")
            sleep(2)
            let asked = ContinuousClock.now
            left = try #require(try daemon.add("s", "u", key: "wrong")["Retry-After"].flatMap { Int($0) })
            let real =
                60 - Int((ContinuousClock.now - begin).components.seconds) - 1...60
                - Int((asked - begun).components.seconds)
            #expect(real.contains(left))
        }
        guard ProcessInfo.processInfo.environment["SHORTY_TEST_WHOLE_MINUTE"] != nil else { return }
        sleep(UInt32(left))
        #expect(try daemon.add("s", "u", key: "wrong").status == 403)
    }

    @Test func `a clock that starts at 1970 and steps to today harms nothing`() throws {
        let clock = try FakedClock(start: "@1970-01-01 00:00:10")
        let daemon = clock.daemon
        var slugs = try use(daemon)
        #expect(try clock.lastCreated() < Self.day)
        usleep(1_300_000)
        try clock.set("+0d")
        slugs += try use(daemon)
        #expect(try abs(clock.lastCreated() - Self.now) < 300)
        try expectGoodEnd(clock, slugs)
    }

    @Test func `a day forward and back harms nothing`() throws {
        let clock = try FakedClock(start: "+0d")
        let daemon = clock.daemon
        var slugs = try use(daemon)
        try clock.set("+1d")
        slugs += try use(daemon)
        #expect(try abs(clock.lastCreated() - Self.now - Self.day) < 300)
        usleep(1_300_000)
        try clock.set("-1d")
        slugs += try use(daemon)
        #expect(try abs(clock.lastCreated() - Self.now + Self.day) < 300)
        try expectGoodEnd(clock, slugs)
    }

    /// All slugs are different and lead somewhere, every visit is counted, and the daemon ends well.
    private func expectGoodEnd(
        _ clock: FakedClock, _ slugs: [String], location: SourceLocation = #_sourceLocation
    ) throws {
        let daemon = clock.daemon
        #expect(Set(slugs).count == slugs.count, sourceLocation: location)
        #expect(try daemon.get("/healthz").status == 200, sourceLocation: location)
        for slug in slugs { #expect(try daemon.get("/" + slug).status == 302, sourceLocation: location) }
        #expect(try clock.stop() == .exit(0), sourceLocation: location)
        #expect(try daemon.visits(slugs[0]) == 2, sourceLocation: location)
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok", sourceLocation: location)
    }
}
