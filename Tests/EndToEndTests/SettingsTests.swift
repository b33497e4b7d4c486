// Settings as the program takes them: where from, which wins, and how it says what is wrong.
internal import Foundation
internal import Testing

@Suite(.atTheBench) struct SettingsTests {
    /// Checks a file of settings; the file's name stands for `FILE` in what is expected.
    private func check(_ text: String, _ environment: [String: String] = [:], in folder: TemporaryFolder) throws -> Outcome
    {
        let file = try folder.write(text, to: "c.json5")
        return try Program.run(["check-config", "--config", file], environment: environment, in: folder)
    }

    @Test func `every kind of mistake is told with file, key, value and what is allowed`() throws {
        let folder = try TemporaryFolder()
        let mistakes: [(text: String, told: [String])] = [
            ("{limits: {urll: 3}}", ["c.json5", "limits.urll", "limits.url"]),
            ("{\nlimits: {\nurl: 8001}}", ["c.json5", "limits.url", "8001", "16", "8000"]),
            ("{limits: {url: \"long\"}}", ["c.json5", "limits.url", "\"long\""]),
            ("{redirect: {status: 303}}", ["redirect.status", "303", "301", "302", "307", "308"]),
            ("{log: {level: 'loud'}}", ["log.level", "loud", "error", "warning", "info", "debug"]),
            ("{server: {listen: ['nowhere']}}", ["server.listen", "nowhere", "127.0.0.1:8080"]),
            ("{server: {listen: []}}", ["server.listen"]),
            ("{server: {\"public-url\": 's.example'}}", ["server.public-url", "s.example", "https://"]),
            ("{server: {\"stop-wait\": '5 parsecs'}}", ["server.stop-wait", "5 parsecs"]),
            ("{redirect: {\"cache-control\": 'a\\nb'}}", ["redirect.cache-control"]),
            ("{slugs: {length: 12}, limits: {slug: 8}}", ["slugs.length", "12", "limits.slug", "8"]),
            ("{frob: {}}", ["frob"]), ("{limits: 3}", ["limits"]), ("[]", ["c.json5"]), ("{\n\nserver: {", ["c.json5"]),
            ("", ["c.json5"]), ("{limits: {url: 300, url: 301}}", ["c.json5", "url"]),
        ]
        for (text, told) in mistakes {
            for command in [["check-config"], ["serve", "--listen", "127.0.0.1:0"]] {
                // The flag would hide a mistake in the setting that it gives.
                if command.count > 1, text.contains("listen") { continue }
                let file = try folder.write(text, to: "c.json5")
                let outcome = try Program.run(command + ["--config", file], in: folder)
                #expect(outcome.ending == .exit(1), "\(text)")
                #expect(outcome.output.isEmpty, "\(text)")
                for part in told { #expect(outcome.errors.contains(part), "\(text) is told as \(outcome.errors)") }
            }
        }
        let missing = try Program.run(["serve", "--config", folder.file("none.json5")], in: folder)
        #expect(missing.ending == .exit(1))
        #expect(missing.errors.contains("none.json5"))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasSuffix(".db") })
    }

    @Test func `all mistakes are told at once`() throws {
        let folder = try TemporaryFolder()
        let outcome = try check("{limits: {url: 1, body: -1}, lgo: {}}", ["SHORTY_LOG_FORMAT": "xml"], in: folder)
        #expect(outcome.ending == .exit(1))
        for part in ["limits.url", "limits.body", "lgo", "SHORTY_LOG_FORMAT", "xml"] {
            #expect(outcome.errors.contains(part))
        }
        #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("shorty: ") })
    }

    @Test func `a flag wins over the environment, that over the file, that over the default`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "{server: {listen: ['127.0.0.1:0', '[::1]:0'], 'public-url': 'http://file.test'}}", to: "c.json5")
        func publicURL(_ environment: [String: String], _ flags: [String]) throws -> String {
            let words = ["add", "https://example.com/", "--database", folder.file("s.db"), "--slug", UUID().uuidString]
            let outcome = try Program.run(words + flags, environment: environment, in: folder)
            return String(outcome.output.prefix { $0 != "\n" }.prefix { $0 != "-" }).split(separator: "/").dropFirst().first
                .map(String.init) ?? outcome.errors
        }
        #expect(try publicURL([:], []) == "127.0.0.1:8080")
        #expect(try publicURL([:], ["--config", file]) == "file.test")
        let environment = ["SHORTY_SERVER_PUBLIC_URL": "http://environment.test"]
        #expect(try publicURL(environment, ["--config", file]) == "environment.test")
        #expect(try publicURL(environment, ["--config", file, "--public-url", "http://flag.test"]) == "flag.test")
        #expect(try publicURL(["SHORTY_CONFIG": file], []) == "file.test")
    }

    @Test func `an unknown variable is only warned of`() throws {
        let folder = try TemporaryFolder()
        let outcome = try check(
            "{}", ["SHORTY_PORT_8080_TCP": "tcp://10.0.0.1:8080", "SHORTY_LIMITS_ULR": "300"], in: folder)
        #expect(outcome.isSuccess)
        #expect(outcome.errors.contains("SHORTY_PORT_8080_TCP"))
        #expect(outcome.errors.contains("SHORTY_LIMITS_URL"))
        let daemon = try TestDaemon(["PORT": "tcp://10.0.0.1:8080"])
        #expect(daemon.log.contains("SHORTY_PORT"))
    }

    @Test(arguments: ["the_key\n", "the_key\r\n", "the_key"]) func `a key is read from a file`(_ text: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "key")
        let daemon = try TestDaemon(["KEYS_SECRET": "", "KEYS_SECRET_FILE": file], folder: folder)
        #expect(try daemon.add("s", "https://example.com/", key: "the_key").outcome == "SUCCESS")
        #expect(try daemon.add("t", "https://example.com/", key: "").status == 403)
        let shown = try Program.run(["check-config"], environment: ["SHORTY_KEYS_SECRET_FILE": file], in: folder)
        #expect(shown.isSuccess)
        #expect(!shown.output.contains("the_key"))
    }

    @Test func `an empty or missing key file stops the start`() throws {
        let folder = try TemporaryFolder()
        let database = ["--database", folder.file("s.db"), "--listen", "127.0.0.1:0"]
        for text in ["", "\n", "\r\n", " ", "two words\n", "a/b"] {
            let file = try folder.write(text, to: "key")
            let outcome = try Program.run(["serve"] + database, environment: ["SHORTY_KEYS_SECRET_FILE": file], in: folder)
            #expect(outcome.ending == .exit(1), "\(text.debugDescription)")
            #expect(!outcome.errors.isEmpty)
        }
        let missing = folder.file("nothing")
        let outcome = try Program.run(["serve"] + database, environment: ["SHORTY_KEYS_SECRET_FILE": missing], in: folder)
        #expect(outcome.ending == .exit(1))
        #expect(outcome.errors.contains(missing))
        #expect(outcome.errors.contains("SHORTY_KEYS_SECRET_FILE"))
        let empty = try Program.run(["serve"] + database, environment: ["SHORTY_KEYS_SECRET": ""], in: folder)
        #expect(empty.ending == .exit(1))
        let both = ["SHORTY_KEYS_SECRET": "a", "SHORTY_KEYS_SECRET_FILE": missing]
        #expect(try Program.run(["serve"] + database, environment: both, in: folder).ending == .exit(1))
    }

    @Test func `the public URL is never taken from a request`() throws {
        let daemon = try TestDaemon(["SERVER_PUBLIC_URL": "https://s.example"])
        let fields = [["Host: evil.example"], ["X-Forwarded-Host: evil.example"], ["X-Forwarded-Proto: http"]]
        for field in fields {
            let wire = try daemon.connect()
            let body = "key=my_key&url=https://example.com/"
            let host = field[0].hasPrefix("Host") ? "" : "Host: 127.0.0.1:8080\r\n"
            try wire.send(
                "POST /api-add HTTP/1.1\r\n\(host)\(field[0])\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let reply = try wire.reply()
            let slug = try #require(reply.json?["Url_Slug"])
            #expect(reply.json?["Short_Url"] == "https://s.example/\(slug)")
        }
        #expect(try daemon.add("loop", "https://S.example:443/x").outcome == "FAILURE")
        let bare = try TestDaemon(["SERVER_PUBLIC_URL": ""])
        #expect(bare.log.contains("warning"))
        let added = try bare.add(nil, "https://example.com/")
        #expect(added.json?["Short_Url"]?.hasPrefix("http://127.0.0.1:\(bare.port)/") == true)
    }
}
