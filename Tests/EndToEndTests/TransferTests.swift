// Links in and out in bulk, by the real program and beside a running daemon.
internal import Foundation
internal import Glibc
internal import Sanitizer
internal import Testing

@Suite(.atTheBench) struct TransferTests {
    /// CSV with slugs in no order.
    private static func rows(_ count: Int) -> String {
        var text = "slug,url\r\n"
        for row in 0..<count {
            // A prime step walks through all numbers below a larger prime, out of order.
            text += "r\(row * 7_919 % 1_000_003),https://example.com/articles/\(row)\r\n"
        }
        return text
    }

    @Test func `times mean the same instant whatever zone the machine is in`() throws {
        let folder = try TemporaryFolder()
        let times = [
            "2030-01-01T10:48:00+03:00", "2030-01-01T07:48:00Z", "2030-01-01T07:48:00.5Z", "2030-01-01 07:48", "2030-01-01",
            "2030-02-30T00:00:00Z",
        ]
        let rows = times.enumerated().map { "t\($0),https://example.com/,\($1)\n" }.joined()
        let file = try folder.write("slug,url,created\n" + rows, to: "times.csv")
        func shorty(_ words: String...) throws -> Outcome {
            try Program.run(
                words + ["--database", folder.file("s.db")], environment: ["TZ": "America/New_York"], in: folder)
        }
        let imported = try shorty("import", file)
        #expect(imported.ending == .exit(1))
        // No year has a 30 February.
        #expect(imported.errors.contains("line 7: The cell created is no time: \"2030-02-30T00:00:00Z\"."))
        let lines = try shorty("export").output.split(whereSeparator: \.isNewline).map(String.init)
        for (index, expected) in (Array(repeating: "2030-01-01T07:48:00Z", count: 4) + ["2030-01-01T00:00:00Z"])
            .enumerated()
        {
            #expect(lines.contains { $0.hasPrefix("t\(index),") && $0.contains(expected) }, "\(lines)")
        }
        #expect(lines.count == 6, "the header and five links")
    }

    @Test func `a killed import leaves a sound store, and the next one completes it`() throws {
        // Where the machine is slow to see the first links, the import may be over before it is killed: the next one takes longer.
        var count = Sanitizer.isOn ? 15_000 : 75_000
        for _ in 0..<3 {
            count *= 2
            let daemon = try TestDaemon()
            let file = try daemon.folder.write(Self.rows(count), to: "links.csv")
            let child = try Child(
                [Program.path, "import", file, "--database", daemon.database], environment: Program.plainEnvironment,
                folder: daemon.folder.path)
            // The first in the order of the slugs.
            _ = try eventually(within: .seconds(60), "some links; it said: \(child.errors)") {
                try daemon.get("/r0").status == 302 ? true : nil
            }
            child.send(SIGKILL)
            guard try child.wait() == .signal(SIGKILL) else { continue }
            #expect(try daemon.sql("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
            let stored = Int(try daemon.sql("SELECT count(*) FROM link")) ?? 0
            if stored == count { continue }
            #expect(stored > 0)
            let last = try daemon.command("import", file)
            #expect(last.isSuccess)
            #expect(last.output.hasPrefix("\(grouped(count - stored)) added, \(grouped(stored)) already there, 0 bad, "))
            #expect(try daemon.sql("SELECT count(*) FROM link") == "\(count)")
            let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
            #expect(!names.contains { $0.contains("import") }, "nothing is left beside the store")
            #expect(try daemon.stop() == .exit(0))
            #expect(try daemon.sql("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
            return
        }
        Issue.record("no import could be killed in its middle")
    }

    private func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(number / 1000)," + String("\(1000 + number % 1000)".dropFirst())
    }

    @Test func `redirects and adds go on while links come in, and those are served at once`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("before", "https://example.com/")
        let file = try daemon.folder.write(Self.rows(50_000), to: "links.csv")
        let child = try Child(
            [Program.path, "import", file, "--database", daemon.database], environment: Program.plainEnvironment,
            folder: daemon.folder.path)
        var adds: [Duration] = []
        var redirects: [Duration] = []
        while child.poll() == nil {
            var start = ContinuousClock.now
            #expect(try daemon.add("add\(adds.count)", "https://example.com/").outcome == "SUCCESS")
            adds.append(.now - start)
            start = .now
            #expect(try daemon.get("/before").status == 302)
            redirects.append(.now - start)
        }
        let end = ContinuousClock.now
        #expect(try child.wait() == .exit(0), "\(child.errors)")
        #expect(adds.count > 3)
        // Less than a second is promised of a machine that has time; one that runs all tests at once may stumble twice.
        for times in [adds, redirects] {
            #expect(times.sorted().dropLast(2).last ?? .zero < .seconds(1), "\(times.sorted().suffix(5))")
        }
        _ = try eventually("the last link") { try daemon.get("/r7919").status == 302 ? true : nil }
        // 200 ms are promised; the rest is for a machine that runs all tests at once.
        #expect(ContinuousClock.now - end < .seconds(1))
        #expect(try daemon.stop() == .exit(0))
    }

    @Test func `an export is whole, private, and comes back as it was`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.command(
            "add", "https://example.com/?a=1,2&b=%22", "--slug", "-x", "--title", "=He said \"hi\"\nline 2", "--listed")
        for _ in 0..<3 { _ = try daemon.get("/-x") }
        #expect(try daemon.stop() == .exit(0))
        for name in ["links.csv", "links.jsonl"] {
            let file = daemon.folder.file(name)
            let given = try daemon.command("export", "--output", file)
            #expect(given.isSuccess && given.output.isEmpty && given.errors.hasPrefix("1 link exported"))
            var facts = stat()
            #expect(unsafe stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let format = name.hasSuffix("csv") ? "csv" : "jsonl"
            #expect(try daemon.command("export", "--format", format).output == text)
            let other = daemon.folder.file(name + ".db")
            let words = "\(Program.path) import --format \(format) - --database \(other) <\(file)"
            #expect(
                try Program.run(tool: "sh", ["-c", words], in: daemon.folder).output.hasPrefix("1 added, 0 already there"))
            let again = try Program.run(["export", "--format", format, "--database", other], in: daemon.folder)
            #expect(again.output == text)
        }
        let csv = try String(contentsOfFile: daemon.folder.file("links.csv"), encoding: .utf8)
        #expect(csv.contains("\r\n'-x,\"https://example.com/?a=1,2&b=%22\",\"'=He said \"\"hi\"\"\nline 2\",,20"))
        #expect(csv.contains("Z,3,true,\r\n"))
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
        #expect(!names.contains { $0.hasSuffix(".part") })
    }

    @Test func `a full disk leaves no half export behind, and says so`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("a", "https://example.com/")
        // Never over a database, the store's own or another.
        let backup = daemon.folder.file("b.db")
        #expect(try daemon.command("backup", backup).isSuccess)
        for name in [daemon.database, daemon.database + "-wal", daemon.database + ".lock", backup] {
            let before = try Data(contentsOf: URL(filePath: name))
            let refused = try daemon.command("export", "--output", name)
            #expect(refused.ending == .exit(1))
            #expect(refused.errors.contains("Name another file for the export"), "\(refused.errors)")
            #expect(try Data(contentsOf: URL(filePath: name)) == before)
        }
        let full = try daemon.command("export", "--output", "/dev/full")
        #expect(full.ending == .exit(1) && full.errors.contains("/dev/full cannot be written"))
        let nowhere = try daemon.command("export", "--output", daemon.folder.file("none/links.csv"))
        #expect(nowhere.ending == .exit(1) && nowhere.errors.contains("none of"), "\(nowhere.errors)")
    }

    @Test func `a terminal sees a bar, anything else sees lines only`() throws {
        let folder = try TemporaryFolder()
        // The bar comes after 0.3 seconds, and a fast machine stores 30,000 in less.
        let count = Sanitizer.isOn ? 50_000 : 250_000
        let file = try folder.write(Self.rows(count), to: "links.csv")
        let terminal = try Terminal()
        let child = try Child(
            [Program.path, "import", file, "--database", folder.file("s.db")], environment: Program.plainEnvironment,
            folder: folder.path, terminal: terminal.name)
        let shown = try terminal.read { $0.contains(" already there") }
        #expect(try child.wait() == .exit(0))
        #expect(shown.contains("\r") && shown.contains("[#") && shown.contains(" %"))
        #expect(shown.contains("\(grouped(count)) added, 0 already there, 0 bad"))
        let again = try Program.run(["import", file, "--database", folder.file("s.db")], in: folder)
        #expect(again.isSuccess)
        #expect(
            again.output.hasPrefix("0 added, \(grouped(count)) already there, 0 bad, ")
                && again.output.hasSuffix(" s: nothing new\n"))
        #expect(!again.errors.utf8.contains(13))
    }
}
