// The limits, made small where they can be: each has its status, and none takes the daemon down.
internal import Foundation
internal import Glibc
internal import Sanitizer
internal import Testing

@Suite(.atTheBench) struct LimitTests {
    private func head(_ line: String, _ fields: String = "") -> String { "\(line)\r\nHost: s.test\r\n\(fields)\r\n" }

    /// Sends text, the rest of it even where the daemon has answered already, and reads the answer and the end.
    private func refusal(_ daemon: TestDaemon, _ text: String) throws -> Reply {
        let wire = try daemon.connect()
        try? wire.send(text)
        let reply = try wire.reply()
        #expect(reply["Connection"] == "close")
        #expect(reply["Date"] != nil)
        #expect(try wire.readToEnd().isEmpty)
        return reply
    }

    @Test func `too much of a request is refused with its own status`() throws {
        let daemon = try TestDaemon([
            "LIMITS_REQUEST_LINE": "8KiB", "LIMITS_HEADER_BLOCK": "4KiB", "LIMITS_HEADER_FIELDS": "10",
            "LIMITS_BODY": "1KiB",
        ])
        let target = "/" + String(repeating: "a", count: 8_000)
        #expect(try daemon.get(target).status == 404)
        #expect(try refusal(daemon, head("GET \(target)\(target) HTTP/1.1")).status == 414)
        #expect(try refusal(daemon, "GET /" + String(repeating: "a", count: 100_000)).status == 414)
        let field = "X: " + String(repeating: "v", count: 5_000) + "\r\n"
        #expect(try refusal(daemon, head("GET / HTTP/1.1", field)).status == 431)
        #expect(try refusal(daemon, head("GET / HTTP/1.1", String(repeating: "X: 1\r\n", count: 10))).status == 431)
        #expect(try daemon.get("/", (0..<8).map { "X-\($0): 1" }).status == 200)
        let body = "key=my_key&url=https://example.com/&url_slug=s&p="
        let full = body + String(repeating: "p", count: 1_024 - body.utf8.count)
        #expect(try daemon.post(form: full).outcome == "SUCCESS")
        let post = "POST /api-add HTTP/1.1"
        #expect(try refusal(daemon, head(post, "Content-Length: 1025\r\n") + full + "p").status == 413)
        #expect(try refusal(daemon, head(post, "Content-Length: 99999999999\r\n")).status == 413)
        let chunk = "400\r\n" + String(repeating: "c", count: 1_024) + "\r\n"
        #expect(try refusal(daemon, head(post, "Transfer-Encoding: chunked\r\n") + chunk + chunk).status == 413)
        #expect(try refusal(daemon, head(post, "Expect: 100-continue\r\nContent-Length: 1025\r\n")).status == 413)
        #expect(try daemon.get("/s").status == 302)
    }

    @Test func `too slow a request is 408, and an idle connection ends`() throws {
        let daemon = try TestDaemon([
            "LIMITS_HEAD_TIME": "1s", "LIMITS_BODY_TIME": "1s", "LIMITS_BODY_RATE": "1KiB", "LIMITS_IDLE_TIME": "1s",
        ])
        let slowHead = try daemon.connect()
        let slowBody = try daemon.connect()
        let idle = try daemon.connect()
        try slowBody.send(head("POST /api-add HTTP/1.1", "Content-Length: 100\r\n") + "key=")
        try idle.send(head("GET / HTTP/1.1"))
        #expect(try idle.reply().status == 200)
        let start = ContinuousClock.now
        // A byte now and then holds nothing open.
        for byte in "GET / HTTP/1.1\r\nHost: s.test\r\nX: " where ContinuousClock.now - start < .seconds(3) {
            guard (try? slowHead.send(String(byte))) != nil else { break }
            usleep(100_000)
        }
        #expect(try slowHead.reply().status == 408)
        #expect(try slowBody.reply().status == 408)
        #expect(try idle.readToEnd().isEmpty)
        #expect(.now - start < .seconds(6))
    }

    @Test func `one connection too many is 503`() throws {
        let daemon = try TestDaemon(["LIMITS_CONNECTIONS": "10"])
        let wires = try (0..<10).map { _ in try daemon.connect() }
        for wire in wires {
            try wire.send(head("GET / HTTP/1.1"))
            #expect(try wire.reply().status == 200)
        }
        // Those turned away have sent something or not, and read their answer all the same.
        for index in 0..<40 {
            let extra = try daemon.connect()
            if index.isMultiple(of: 2) { try? extra.send(head("GET / HTTP/1.1")) }
            let reply = try extra.reply()
            #expect(reply.status == 503)
            #expect(reply["Retry-After"] != nil)
            #expect(reply["Connection"] == "close")
        }
        #expect(daemon.log.components(separatedBy: "limit of 10 connections").count <= 3)
        for wire in wires {
            try wire.send(head("GET / HTTP/1.1"))
            #expect(try wire.reply().status == 200)
        }
    }

    @Test func `a limit on the size of files refuses adds, and ends nothing`() throws {
        // 1 MiB, in units of 512 bytes (setrlimit(2), RLIMIT_FSIZE): the kernel sends SIGXFSZ to the thread that goes beyond it.
        let daemon = try TestDaemon(wrapper: ["/bin/sh", "-c", "ulimit -f 2048; exec \"$@\"", "sh"])
        let url = "https://example.com/" + String(repeating: "x", count: 400)
        var added = 0
        while added < 2_000, try daemon.add("s\(added)", url).outcome == "SUCCESS" { added += 1 }
        #expect((1..<2_000).contains(added))
        #expect(try daemon.add("late", url).status == 507)
        #expect(try daemon.get("/healthz").status == 503)
        let log = try eventually("the log's word") { daemon.log.contains("changes are refused") ? daemon.log : nil }
        #expect(log.contains("disk is full"))
        #expect(log.components(separatedBy: "changes are refused").count == 2, "told once")
        for index in [0, added - 1] { #expect(try daemon.get("/s\(index)").status == 302) }
        #expect(try daemon.stop() == .exit(0))
    }

    @Test func `a database that may not grow is told of while its log still takes adds`() throws {
        // 6 MiB, of which the database has 5 before.
        let daemon = try TestDaemon(wrapper: ["/bin/sh", "-c", "ulimit -f 12288; exec \"$@\"", "sh"])
        let text = String(repeating: "x", count: 400)
        try daemon.sql(
            """
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 11000)
            INSERT INTO link (slug, url, created, listed)
            SELECT 'l' || n, 'https://example.com/\(text)', unixepoch(), 0 FROM number;
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
        var added = 0
        while added < 5_000, !daemon.log.contains("cannot be worked off") {
            try #require(try daemon.add("s\(added)", "https://example.com/" + text).outcome == "SUCCESS")
            added += 1
        }
        #expect((1..<5_000).contains(added))
        #expect(!daemon.log.contains("changes are refused"))
        for slug in ["s0", "s\(added - 1)"] { #expect(try daemon.get("/\(slug)").status == 302) }
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok")
        #expect(try daemon.sql("SELECT count(*) FROM link WHERE slug LIKE 's%'") == "\(added)")
    }

    @Test func `with few descriptors a flood of idle connections does no harm`() throws {
        let daemon = try TestDaemon(
            ["LIMITS_HEAD_TIME": "3s"], wrapper: ["/bin/sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"])
        _ = try daemon.add("s", "https://example.com/")
        let wires = (0..<300).compactMap { _ in try? daemon.connect() }
        #expect(wires.count > 64)
        let before = try processorTicks(daemon)
        usleep(1_500_000)
        // In hundredths of a second: a daemon that spins would have used 150 or more.
        #expect(try processorTicks(daemon) - before < 40)
        #expect(daemon.log.split(separator: "\n").count < 12)
        #expect(daemon.child.poll() == nil)
        _ = try eventually("the idle ones to time out") { (try? daemon.get("/s").status) == 302 ? true : nil }
        #expect(try daemon.add("t", "https://example.com/").outcome == "SUCCESS")
        #expect(try daemon.stop() == .exit(0))
        #expect(wires.count > 64)
    }

    @Test func `too few descriptors stop the start with a word about them`() throws {
        let folder = try TemporaryFolder()
        let command = "ulimit -n 20; exec \(Program.path) serve --listen 127.0.0.1:0 --database \(folder.file("s.db"))"
        let outcome = try Program.run(tool: "sh", ["-c", command], in: folder)
        #expect(outcome.ending == .exit(1))
        #expect(outcome.errors.contains("ulimit -n"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    /// Processor time that the daemon has used, in clock ticks (proc(5), fields 14 and 15).
    private func processorTicks(_ daemon: TestDaemon) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(daemon.child.pid)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields[11...12].compactMap { Int($0) }.reduce(0, +)
    }

    @Test func `a client that does not read is cut off, the others are served`() throws {
        let daemon = try TestDaemon(["LIMITS_BODY_TIME": "1s"])
        try daemon.fill(5_000)
        let stuck = try Wire(.ipv4(daemon.port), receiveBuffer: 4_096)
        // Some 10 MB of answers, more than the kernel's buffers on both sides take.
        try stuck.send(String(repeating: head("GET /api-getall HTTP/1.1"), count: 60))
        for _ in 0..<50 { #expect(try daemon.get("/l1").status == 302) }
        usleep(2_500_000)
        var received = 0
        do {
            while case let bytes = try stuck.read(), !bytes.isEmpty { received += bytes.count }
        } catch let trouble as Trouble { #expect(trouble != .nothingCame, "the connection has ended") }
        #expect(received < 5_000_000)
        #expect(try daemon.get("/l1").status == 302)
    }

    @Test(.disabled(if: Sanitizer.isOn, "a sanitizer's memory would be counted"))
    func `a long listing read slowly takes little memory and no snapshot`() throws {
        let daemon = try TestDaemon()
        try daemon.fill(200_000)
        #expect(try daemon.get("/l7").status == 302)
        let before = daemon.residentKilobytes
        let wire = try daemon.connect()
        try wire.send(head("GET /api-getall HTTP/1.1"))
        var (peak, received) = (before, 0)
        for _ in 0..<300 {
            received += try wire.read(16_384).count
            peak = max(peak, daemon.residentKilobytes)
            usleep(4_000)
        }
        #expect(received > 1_000_000)
        #expect(peak - before < 8 * 1024, "\(before) KiB, then \(peak) KiB")
        // A snapshot would keep the log from being worked off.
        _ = try daemon.add("new", "https://example.com/")
        #expect(try daemon.sql("PRAGMA wal_checkpoint(TRUNCATE)").hasPrefix("0|"))
        #expect(try daemon.get("/new").status == 302)
    }

    @Test func `a whole listing is complete`() throws {
        let daemon = try TestDaemon()
        try daemon.fill(20_000)
        struct Listing: Decodable { let Urls: [String: String] }
        let listing = try JSONDecoder().decode(Listing.self, from: Data(try daemon.get("/api-getall").body))
        #expect(listing.Urls.count == 20_000)
        #expect(listing.Urls["l19999"] == "https://example.com/19999")
        #expect(try daemon.get("/view/list").text.components(separatedBy: "<tr>").count == 20_002)
    }

    @Test func `a busy store does not let health checks starve the rest`() throws {
        let daemon = try TestDaemon(["STORE_WRITE_WAIT": "3s"])
        _ = try daemon.add("s", "https://example.com/")
        let lock = try Lock(daemon)
        _ = try eventually("a write that waits") { try? daemon.connect() }
        let waiting = try (0..<150).map { _ in
            let wire = try daemon.connect()
            try wire.send(head("GET /healthz HTTP/1.1"))
            return wire
        }
        let start = ContinuousClock.now
        #expect(try daemon.get("/s").status == 302)
        #expect(try daemon.get("/api-getall").status == 200)
        #expect(.now - start < .seconds(2))
        lock.release(after: .zero)
        for wire in waiting { #expect([200, 503].contains(try wire.reply().status)) }
    }
}

extension TestDaemon {
    /// Puts listed links `l0`, `l1`… into the store, past the daemon, in one transaction: a backup may begin at any time.
    func fill(_ count: Int) throws {
        try sql(
            """
            BEGIN IMMEDIATE;
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < \(count - 1))
            INSERT INTO link (slug, url, created, listed)
            SELECT 'l' || n, 'https://example.com/' || n, unixepoch(), 1 FROM number;
            INSERT OR IGNORE INTO target SELECT key, link, url FROM link_target ORDER BY key;
            INSERT OR IGNORE INTO listed_block SELECT DISTINCT id / 64 FROM link WHERE listed = 1;
            COMMIT
            """)
    }
}
