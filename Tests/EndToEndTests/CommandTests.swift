// The commands beside a daemon: it serves their changes at once, and they say plainly how they went.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct CommandTests {
    /// What the daemon may take to see another process's change. Where all tests run at once, a single measurement says more
    /// about them than about the daemon, so the best of a few must keep it.
    static let promise = Duration.milliseconds(200)

    /// Waits until something is so; returns how long that took.
    private func time(_ what: String, _ isSo: () throws -> Bool) throws -> Duration {
        let start = ContinuousClock.now
        _ = try eventually(within: .seconds(5), what) { try isSo() ? true : nil }
        return .now - start
    }

    @Test func `the daemon serves a command's changes within 200 ms`() throws {
        let daemon = try TestDaemon()
        var times: (added: [Duration], removed: [Duration]) = ([], [])
        for round in 0..<4 {
            let slug = "s\(round)"
            // Kept in memory: that there is no such link.
            for _ in 0..<2 { #expect(try daemon.get("/" + slug).status == 404) }
            let added = try daemon.command(
                "add", "https://example.com/\(slug)", "--slug", slug, "--public-url", "http://s.test")
            #expect(added.output == "http://s.test/\(slug)\n")
            #expect(added.errors.isEmpty)
            times.added.append(try time("the link") { try daemon.get("/" + slug).status == 302 })
            // Kept in memory: where it leads.
            for _ in 0..<2 { #expect(try daemon.get("/" + slug).location == "https://example.com/\(slug)") }
            let removed = try daemon.command("remove", slug)
            #expect(removed.isSuccess)
            #expect(removed.output.isEmpty)
            times.removed.append(try time("its end") { try daemon.get("/" + slug).status == 404 })
        }
        #expect(try #require(times.added.min()) <= Self.promise)
        #expect(try #require(times.removed.min()) <= Self.promise)
    }

    @Test func `the daemon knows a new key at once and a revoked one no more`() throws {
        let daemon = try TestDaemon(["LIMITS_WRONG_KEYS": "1000"])
        func isKnown(_ key: String) throws -> Bool { try daemon.add(nil, "https://example.com/", key: key).status == 201 }
        var times: (created: [Duration], revoked: [Duration]) = ([], [])
        for round in 0..<4 {
            let key = "other\(round)"
            let created = try daemon.command(
                "key", "create", "--name", "anna", "--secret", key, "--label", "laptop\(round)")
            #expect(created.output == key + "\n")
            times.created.append(try time("the new key") { try isKnown(key) })
            let list = try daemon.command("key", "list").output
            #expect(!list.contains(key))
            let row = try #require(list.split(separator: "\n").first { $0.contains("laptop\(round)") })
            let id = String(row.prefix { $0 != " " })
            #expect(try daemon.command("key", "revoke", id).isSuccess)
            times.revoked.append(try time("the end of the key") { try !isKnown(key) })
            #expect(try daemon.command("key", "revoke", id).ending == .exit(1))
        }
        #expect(try #require(times.created.min()) <= Self.promise)
        #expect(try #require(times.revoked.min()) <= Self.promise)
        let made = try daemon.command("key", "create", "--name", "bert")
        let key = made.output.trimmingCharacters(in: .newlines)
        #expect(key.count == 32)
        #expect(made.output == key + "\n")
        _ = try eventually("the generated key") { try isKnown(key.uppercased()) ? true : nil }
        // Only digests are kept.
        try daemon.stop()
        let bytes = try Data(contentsOf: URL(filePath: daemon.database))
        #expect(bytes.firstRange(of: Data(key.utf8)) == nil)
    }

    @Test func `the settings' key stays revoked over a restart, which says so, until it is made anew`() throws {
        let daemon = try TestDaemon()
        #expect(try daemon.add("a", "https://example.com/").outcome == "SUCCESS")
        #expect(try daemon.command("key", "revoke", "1").isSuccess)
        try daemon.stop()
        try daemon.start()
        #expect(try daemon.add("b", "https://example.com/").status == 403)
        _ = try eventually("the log's word") { daemon.log.contains("keys.secret was revoked and stays so") ? true : nil }
        #expect(try daemon.command("key", "create", "--name", "admin", "--secret", TestDaemon.key).isSuccess)
        try daemon.stop()
        try daemon.start()
        #expect(try daemon.add("c", "https://example.com/").outcome == "SUCCESS")
        #expect(!daemon.log.contains("stays so"))
    }

    @Test func `the commands without a daemon make and read a store`() throws {
        let folder = try TemporaryFolder()
        func shorty(_ words: String...) throws -> Outcome {
            try Program.run(words + ["--database", folder.file("s.db")], in: folder)
        }
        // A mistyped name must not look like an empty store.
        #expect(try shorty("list").ending == .exit(1))
        #expect(try shorty("remove", "s").ending == .exit(1))
        #expect(try shorty("key", "list").ending == .exit(1))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasPrefix("s.db") })
        #expect(try shorty("add", "example.com/a", "--slug", "s").output == "http://127.0.0.1:8080/s\n")
        #expect(try shorty("list").output.contains("http://example.com/a"))
        let generated = try shorty("add", "https://example.com/b", "--public-url", "https://s.example").output
        #expect(generated.hasPrefix("https://s.example/") && generated.count == 25)
        let taken = try shorty("add", "https://example.com/c", "--slug", "s")
        #expect(taken.ending == .exit(1))
        #expect(taken.output.isEmpty)
        #expect(taken.errors == "shorty: The slug \"s\" is taken; choose another.\n")
        #expect(try shorty("remove", "s").isSuccess)
        #expect(try shorty("remove", "s").ending == .exit(1))
        #expect(try shorty("add", "ftp://example.com/").ending == .exit(1))
    }

    @Test func `wrong usage is 2 and on standard error`() throws {
        let folder = try TemporaryFolder()
        let lines: [[String]] = [
            [], ["sreve"], ["serve", "--frob"], ["serve", "--listen"], ["add"], ["add", "a", "b"], ["key"],
            ["key", "make"],
            ["key", "create"], ["key", "revoke", "x"], ["health", "--url", "ftp://x"], ["list", "--json=1"],
            ["serve", "--listen", "nowhere"], ["serve", "--public-url", "s.example"], ["help", "nothing"],
        ]
        for words in lines {
            let outcome = try Program.run(words, in: folder)
            #expect(outcome.ending == .exit(2), "\(words)")
            #expect(outcome.output.isEmpty, "\(words)")
            #expect(outcome.errors.hasPrefix("shorty: "), "\(words)")
        }
        for words in [["help"], ["--help"], ["help", "serve"], ["key", "create", "-h"], ["version"], ["--version"]] {
            let outcome = try Program.run(words, in: folder)
            #expect(outcome.isSuccess, "\(words)")
            #expect(!outcome.output.isEmpty, "\(words)")
            #expect(outcome.errors.isEmpty, "\(words)")
        }
    }

    @Test func `health says how a daemon is`() throws {
        let daemon = try TestDaemon(["STORE_WRITE_WAIT": "200ms"])
        let url = "http://127.0.0.1:\(daemon.port)"
        func health(_ words: String...) throws -> Outcome { try Program.run(["health"] + words, in: daemon.folder) }
        #expect(try health("--url", url).isSuccess)
        let file = try daemon.folder.write("{server: {listen: ['127.0.0.1:\(daemon.port)']}}", to: "c.json5")
        #expect(try health("--config", file).isSuccess)
        let lock = try Lock(daemon)
        _ = try daemon.add("s", "https://example.com/")
        let sick = try health("--url", url)
        #expect(sick.ending == .exit(1))
        #expect(sick.errors.contains("503"))
        #expect(sick.output.isEmpty)
        lock.release(after: .zero)
        try daemon.stop()
        let gone = try health("--url", url)
        #expect(gone.ending == .exit(1))
        #expect(gone.errors.contains("127.0.0.1:\(daemon.port)"))
    }

    @Test func `a demo beside a daemon says how both can run`() throws {
        let daemon = try TestDaemon()
        let outcome = try Program.run(["demo", "--listen", "127.0.0.1:\(daemon.port)"], in: daemon.folder)
        #expect(outcome.ending == .exit(1) && outcome.output.isEmpty)
        #expect(outcome.errors.contains("`shorty demo --listen 127.0.0.1:0` takes a free port."), "\(outcome.errors)")
    }

    @Test func `demo prints commands that work`() throws {
        let folder = try TemporaryFolder()
        for listen in ["127.0.0.1:0", "unix:\(folder.file("d.sock"))"] {
            let child = try Child(
                [Program.path, "demo", "--listen", listen, "--public-url", "http://s.test"],
                environment: Program.plainEnvironment.merging(["TMPDIR": folder.path]) { $1 }, folder: folder.path)
            let text = try eventually("what to try") { child.output.contains("/view/list") ? child.output : nil }
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                $0.hasPrefix("curl ")
            }
            #expect(lines.count >= 2)
            let outputs = try lines.map { line in
                try Program.run(tool: "sh", ["-c", line.replacing("curl ", with: "curl -sS --max-time 20 ")], in: folder)
            }
            #expect(outputs.first?.output == #"{"Status":"SUCCESS"}"#, "\(outputs.first?.errors ?? "")")
            #expect(outputs[1].output.contains("Location: https://example.com/\r\n"))
            for (line, outcome) in zip(lines, outputs) {
                #expect(outcome.isSuccess && !outcome.output.isEmpty && outcome.errors.isEmpty, "\(line): \(outcome)")
                #expect(!outcome.output.contains("ERROR"), "\(line): \(outcome)")
            }
            child.send(SIGINT)
            #expect(try child.wait() == .exit(0))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasPrefix("shorty-demo") }
            )
        }
    }

    @Test func `the first start on a terminal shows a key once`() throws {
        let folder = try TemporaryFolder()
        let terminal = try Terminal()
        let words = [Program.path, "serve", "--listen", "127.0.0.1:0", "--database", folder.file("s.db")]
        let child = try Child(words, environment: Program.plainEnvironment, folder: folder.path, terminal: terminal.name)
        let text = try terminal.read { $0.contains("listening address=") && $0.contains("https://example.com/") }
        let line = try #require(text.split(whereSeparator: \.isNewline).map(String.init).first { $0.contains("curl ") })
        let added = try Program.run(
            tool: "sh", ["-c", line.replacing("curl ", with: "curl -sS --max-time 20 ")], in: folder)
        #expect(added.output == #"{"Status":"SUCCESS"}"#, "\(added.errors)")
        child.send(SIGTERM)
        #expect(try child.wait() == .exit(0))
        let again = try Child(words, environment: Program.plainEnvironment, folder: folder.path, terminal: terminal.name)
        #expect(try !terminal.read { $0.contains("listening address=") }.contains("curl "))
        again.send(SIGTERM)
        #expect(try again.wait() == .exit(0))
        // Where no person looks on, a log is no place for a key.
        let quiet = try TestDaemon(["KEYS_SECRET": ""])
        _ = try eventually("a word about keys") { quiet.log.contains("shorty key create") ? true : nil }
        #expect(!quiet.log.contains("curl"))
        #expect(quiet.child.output.isEmpty)
    }
}
