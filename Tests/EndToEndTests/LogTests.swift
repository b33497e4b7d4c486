// What the log says, and what it must never say.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct LogTests {
    static let secret = "S3cretOfAnna"

    /// Requests that carry the secret in every place where a dialect has it, right and wrong ones.
    private func tellSecrets(_ daemon: TestDaemon) throws {
        let secret = Self.secret
        let encoded = secret.utf8.map { "%" + String($0, radix: 16) }.joined()
        let targets = [
            "/add/\(secret)/a?url=https://example.com/", "/ADD/\(secret)/a", "/add/\(encoded)/b?url=x",
            "/%61dd/\(secret)/c",
            "//add/\(secret)/c", "/add/\(secret)", "/api-getall?key=\(secret)", "/api-getall?a=1&KEY=\(secret)&b=2",
            "/?signature=\(secret)", "/s?api_key=\(encoded)", "/unknown?password=\(secret)",
            "/Squeeze.svc/text/\(secret)?url=x",
            "/Squeeze.svc/\(secret)?url=x", "/Reporting.svc/maps/\(secret)?p=1", "http://user:\(secret)@s.test/s",
            "/add/x/y?url=https://user:\(secret)@example.com/",
        ]
        for target in targets { _ = try daemon.get(target) }
        _ = try daemon.ask("DELETE", "/add/\(secret)/a")
        _ = try daemon.add("d", "https://example.com/", key: secret)
        _ = try daemon.add("d", "https://example.com/", key: secret)
        _ = try daemon.add("e", "not a URL", key: secret)
        _ = try daemon.post(form: "key=\(secret)&url=https://example.com/&url_slug=f")
        _ = try daemon.post(form: "key=\(secret)%FF&url=x")
        _ = try daemon.post(json: #"{"key":"\#(secret)","#)
        _ = try daemon.ask("POST", "/api-add?key=\(secret)", body: Array("url=https://example.com/".utf8))
        _ = try daemon.ask("GET", "/s", ["Authorization: Bearer \(secret)", "X-API-Key: \(secret)", "Cookie: k=\(secret)"])
        _ = try? daemon.ask("GET", "/ \(secret)")
    }

    @Test(arguments: ["text", "json"]) func `no line ever holds a key`(_ format: String) throws {
        for key in [Self.secret, "other"] {
            let daemon = try TestDaemon(
                ["LOG_ACCESS": "true", "LOG_FORMAT": format, "LOG_LEVEL": "debug", "KEYS_SECRET": key])
            try tellSecrets(daemon)
            try daemon.stop()
            #expect(!daemon.log.contains(Self.secret))
            #expect(!daemon.log.lowercased().contains("%53%33%63"))
            #expect(daemon.log.contains("/api-getall"))
        }
    }

    @Test func `no answer ever shows a key`() throws {
        let daemon = try TestDaemon(["KEYS_SECRET": Self.secret])
        let secret = Self.secret
        for target in [
            "/add/\(secret)/a?url=https://example.com/", "/add/\(secret)/a?url=x", "/add/\(secret)/api?url=x",
            "/add/\(secret)",
        ] {
            let reply = try daemon.get(target)
            #expect(!reply.text.contains(secret), "\(target)")
            #expect(!reply.fields.contains { $0.value.contains(secret) }, "\(target)")
        }
        #expect(try !daemon.add("a", "x", key: secret).text.contains(secret))
        #expect(try !daemon.add("a", "x", key: "nobody's").text.contains("nobody"))
    }

    @Test func `the access log has one escaped line a request`() throws {
        let daemon = try TestDaemon(["LOG_ACCESS": "true"])
        _ = try daemon.add("s", "https://example.com/")
        let targets = [
            "/s", "/%0d%0aFORGED", "/%1b[31m", "/s?a=b", "/%e2%80%a8", "/unknown", "/\u{e9}", "/\"quoted\"", "/a\\b", "/=x",
        ]
        for target in targets { _ = try? daemon.get(target) }
        _ = try daemon.get("/s", ["X-Odd: a\tb", "User-Agent: \u{1b}[31m\u{2028}"])
        try daemon.stop()
        let log = daemon.log
        #expect(log.unicodeScalars.allSatisfy { $0 == "\n" || !($0.value < 0x20 || (0x7f..<0xa0).contains($0.value)) })
        #expect(!log.contains("\u{2028}"))
        let lines = log.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains(" info ") || $0.contains(" warning ") })
        let requests = lines.filter { $0.contains(" request ") }
        #expect(requests.count { $0.contains("target=/s ") && $0.contains("status=302") } == 1)
        // What could not be read has a line too.
        #expect(requests.count == targets.count + 2)
        #expect(requests.contains { $0.contains("method=- target=- status=400") })
        #expect(
            requests.count { $0.contains("method=POST") && $0.contains("target=/api-add") && $0.contains("status=201") }
                == 1)
        #expect(requests.allSatisfy { $0.contains("client=127.0.0.1") })
        #expect(!lines.contains { $0.hasPrefix("FORGED") })
    }

    @Test func `JSON lines parse, whatever is asked for`() throws {
        let daemon = try TestDaemon(["LOG_ACCESS": "true", "LOG_FORMAT": "json"])
        for target in ["/s", "/%0d%0aFORGED", "/a\"b", "/a\\b", "/\u{7f}", "/%ff", "/caf\u{e9}", "/%22%5c"] {
            _ = try? daemon.get(target)
        }
        try daemon.stop()
        struct Line: Decodable {
            let time: String
            let level: String
            let message: String
            let target: String?
            let status: Int?
        }
        let lines = try daemon.log.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(lines.first?.time.hasSuffix("Z") == true)
        #expect(lines.contains { $0.message == "stopped" })
        #expect(lines.contains { $0.target == "/s" && $0.status == 404 })
        #expect(lines.count { $0.message == "request" } >= 4)
    }

    /// What is never in a target: names, slugs, titles and fields that would end a line or steer a terminal.
    @Test(arguments: ["text", "json"]) func `what clients send beside the target forges no line`(_ format: String) throws {
        let daemon = try TestDaemon(["LOG_ACCESS": "true", "LOG_FORMAT": format, "LOG_LEVEL": "debug"])
        for name in ["a\nFORGED", "a\r\nFORGED", "\u{1b}[31m", "\u{2028}FORGED", "\u{85}FORGED"] {
            let credentials = Data("\(name):pw".utf8).base64EncodedString()
            #expect(try daemon.get("/private/c.json", ["Authorization: Basic \(credentials)"]).status == 403)
            let text = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
            let members = [
                "slug": #""url_slug":\#(text)"#, "title": #""url_slug":"t\#(name.utf8.count)","title":\#(text)"#,
            ]
            for (what, members) in members {
                let reply = try daemon.post(json: #"{"key":"my_key","url":"https://example.com/",\#(members)}"#)
                #expect([200, 201, 400].contains(reply.status), "\(what) \(name.debugDescription): \(reply.status)")
            }
        }
        _ = try daemon.get("/s", ["User-Agent: a\tb\tFORGED", "X-Forwarded-For: \t192.0.2.1\t", "Referer: \u{1b}[31m"])
        try daemon.stop()
        let lines = daemon.log.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            daemon.log.unicodeScalars.allSatisfy {
                $0 == "\n" || !($0.value < 0x20 || (0x7f..<0xa0).contains($0.value) || $0.value == 0x2028)
            })
        #expect(!lines.contains { $0.hasPrefix("FORGED") })
        #expect(lines.count { $0.contains("request") && $0.contains("status") } == 16, "\(daemon.log)")
        guard format == "json" else { return }
        for line in lines where !line.isEmpty {
            #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) is [String: Any], "\(line)")
        }
    }

    @Test func `without an access log requests are not logged`() throws {
        let daemon = try TestDaemon()
        _ = try daemon.add("s", "https://example.com/")
        for _ in 0..<20 { _ = try daemon.get("/s") }
        for _ in 0..<20 { _ = try daemon.get("/unknown") }
        try daemon.stop()
        #expect(daemon.log.split(separator: "\n").count == 3)
    }

    /// A full pipe, and one whose reader has left.
    @Test(arguments: [true, false]) func `a log that nobody reads holds nothing up`(_ isOpen: Bool) throws {
        let folder = try TemporaryFolder()
        let (pipe, socket) = (folder.file("log"), folder.file("s.sock"))
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let words = [Program.path, "serve", "--listen", "unix:\(socket)", "--database", folder.file("s.db")]
        let child = try Child(
            ["/bin/sh", "-c", "exec \"$@\" 2> \(pipe)", "sh"] + words,
            environment: Program.plainEnvironment.merging(["SHORTY_LOG_ACCESS": "true"]) { $1 }, folder: folder.path)
        let wire = try eventually("a connection") { try? Wire(.local(socket)) }
        if !isOpen { close(reader) }
        // 200 KiB of log, several times what a pipe holds.
        let request = "GET /robots.txt HTTP/1.1\r\nHost: s.test\r\n\r\n"
        for _ in 0..<20 {
            try wire.send(String(repeating: request, count: 100))
            for _ in 0..<100 { #expect(try wire.reply().status == 200) }
        }
        let start = ContinuousClock.now
        child.send(SIGTERM)
        #expect(try child.wait() == .exit(0))
        #expect(.now - start < .seconds(4))
        if isOpen { close(reader) }
    }
}
