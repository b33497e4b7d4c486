// The daemon is killed again and again while sixteen write and one follows, and counts what that cost: of what was acknowledged
// nothing, of the visits at most the last second's.
internal import Foundation
internal import Glibc
internal import Sanitizer
internal import Testing

@Suite(.atTheBench) struct KillTests {
    /// How often the daemon is killed; more than a few want patience.
    private static let rounds =
        ProcessInfo.processInfo.environment["SHORTY_TEST_KILLS"].flatMap { Int($0) } ?? (Sanitizer.isOn ? 2 : 5)
    private static let writers = 16
    /// How long before the kill a standstill still excuses visits that are lost.
    private static let standstillsCount = Duration.seconds(4)
    /// Kills of one store, so that its listing stays short enough to be read every time.
    private static let roundsAStore = 10

    private struct Sums {
        var kills = 0
        var acknowledged = 0
        var missing = 0
        var unsound = 0
        var visits = 0
        var visitsLost = 0
        /// Lost though they were answered longer than a second before the kill.
        var visitsLostBeyond = 0
        /// Those that a busy machine, whose timers are late, does not explain, nor one that stood still meanwhile.
        var visitsLostFarBeyond = 0
    }

    /// One life of the daemon, from its start to its kill.
    private struct Life {
        /// Slugs whose adding was acknowledged.
        var links: [String]
        /// When visits were answered.
        var visits: [ContinuousClock.Instant]
        var killed: ContinuousClock.Instant
        /// The longest time of the last seconds in which no add was acknowledged: of sixteen writers all waited, so the disk or the
        /// whole machine did, and visits cannot have been written either.
        var standstill: Duration
    }

    @Test func `a kill under sixteen writers loses nothing that was acknowledged, and a second's visits at most`() throws {
        var sums = Sums()
        while sums.kills < Self.rounds {
            let daemon = try TestDaemon(folder: TemporaryFolder(onDisk: true))
            #expect(try daemon.add("s", "https://example.com/").outcome == "SUCCESS")
            var stored = 0
            for round in 0..<min(Self.roundsAStore, Self.rounds - sums.kills) {
                if round > 0 { try daemon.start() }
                let life = try live(daemon, round: round)
                sums.kills += 1
                sums.acknowledged += life.links.count
                try check(life.links, daemon, &sums)
                let now = try #require(try daemon.visits("s"))
                sums.visits += life.visits.count
                count(life, stored: now - stored, &sums)
                stored = now
            }
        }
        print(
            """
            \(sums.kills) kills under \(Self.writers) writers: \(sums.acknowledged) links acknowledged, \(sums.missing) missing; \
            \(sums.unsound) stores unsound; \(sums.visits) visits, \(sums.visitsLost) lost, of them \(sums.visitsLostBeyond) \
            older than a second
            """)
        #expect(sums.acknowledged > 40 * sums.kills)
        #expect(sums.missing == 0)
        #expect(sums.unsound == 0)
        #expect(sums.visits > 0)
        // A second of the daemon's own clock, which a sanitizer makes longer.
        #expect(Sanitizer.isOn || sums.visitsLostFarBeyond == 0)
    }

    private func live(_ daemon: TestDaemon, round: Int) throws -> Life {
        let (port, pid) = (daemon.port, daemon.child.pid)
        let acknowledged = Moments()
        let isOver = Counter()
        let killed = Moments()
        let visits = Moments()
        // Two more than the writers: one follows the link, one ends it all.
        let links = together(Self.writers + 2) { thread -> [String] in
            switch thread {
            case Self.writers:
                while isOver.value == 0, (try? daemon.get("/s").status) == 302 {
                    visits.add()
                    usleep(2_000)
                }
            case Self.writers + 1:
                _ = try? eventually("some adds") { acknowledged.all.count > 64 ? true : nil }
                usleep(.random(in: 0...2_000_000))
                killed.add()
                kill(pid, SIGKILL)
                isOver.add(1)
            default: return Self.write(port, prefix: "k\(round)-\(thread)-", acknowledged)
            }
            return []
        }.flatMap { $0 }
        #expect(try daemon.child.wait() == .signal(SIGKILL))
        let end = try #require(killed.all.first)
        let adds = acknowledged.all.filter { (.zero...Self.standstillsCount).contains(end - $0) } + [end]
        let standstill = zip(adds, adds.dropFirst()).map { $1 - $0 }.max() ?? Self.standstillsCount
        return Life(links: links, visits: visits.all, killed: end, standstill: standstill)
    }

    /// Adds one link after another on one connection until it breaks; returns the slugs whose adding was acknowledged.
    private static func write(_ port: UInt16, prefix: String, _ acknowledged: Moments) -> [String] {
        var slugs: [String] = []
        do {
            let wire = try Wire(.ipv4(port))
            while true {
                let slug = "\(prefix)\(slugs.count)"
                let body = "key=my_key&url_slug=\(slug)&url=https://example.com/\(slug)"
                try wire.send(
                    "POST /api-add HTTP/1.1\r\nHost: s.test\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                guard try wire.reply().outcome == "SUCCESS" else { return slugs }
                slugs.append(slug)
                acknowledged.add()
            }
        } catch {
            return slugs
        }
    }

    /// Looks as another program first, and then as whoever follows the links.
    private func check(_ links: [String], _ daemon: TestDaemon, _ sums: inout Sums) throws {
        if try daemon.sql("PRAGMA integrity_check; PRAGMA foreign_key_check") != "ok" { sums.unsound += 1 }
        if try !daemon.command("verify").isSuccess { sums.unsound += 1 }
        let rows = try daemon.sql("SELECT slug || ' ' || url FROM link WHERE removed IS NULL").split(separator: "\n")
        let found = Set(rows.map(String.init))
        sums.missing += links.count { !found.contains("\($0) https://example.com/\($0)") }
        try daemon.start()
        for slug in links.shuffled().prefix(50) {
            if try daemon.get("/" + slug).location != "https://example.com/\(slug)" { sums.missing += 1 }
        }
        #expect(try daemon.stop() == .exit(0))
    }

    /// Visits are kept in order, so those that are missing are the last.
    private func count(_ life: Life, stored: Int, _ sums: inout Sums) {
        func lost(olderThan age: Duration) -> Int { max(0, life.visits.count { life.killed - $0 > age } - stored) }
        sums.visitsLost += lost(olderThan: .zero)
        sums.visitsLostBeyond += lost(olderThan: .seconds(1))
        sums.visitsLostFarBeyond += lost(olderThan: .milliseconds(1_600) + life.standstill)
    }
}

/// Moments, from any thread.
private final class Moments: @unchecked Sendable {
    // Sendable by hand: all access is under the lock.
    private let lock = NSLock()
    private var moments: [ContinuousClock.Instant] = []

    var all: [ContinuousClock.Instant] { lock.withLock { moments } }

    func add() { lock.withLock { moments.append(.now) } }
}
