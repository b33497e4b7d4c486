// Where values come from, which wins, and what is said about wrong ones.
import Foundation
import Telemetry
import Testing

@testable import Configuration

/// The file that is shipped.
let shippedFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("config/shorty.json5").path

struct SettingsTests {
    @Test func `the shipped file holds every setting with its default and a comment`() throws {
        let bytes = try contents(ofFile: shippedFile, limit: 1 << 20)
        let file = try SettingsFile.parse(bytes)
        #expect(file.entries.map(\.key) == SettingDefinition.all.map(\.key).sorted())
        for entry in file.entries {
            var settings = Settings()
            let definition = try #require(SettingDefinition.named(entry.key))
            #expect(definition.apply(entry.input, &settings) && settings == Settings(), "\(entry.key)")
        }

        // They stand in the order of the table, each below its comment.
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 == " " } }[...]
        for definition in SettingDefinition.all {
            let name = definition.key.split(separator: ".")[1]
            let place = try #require(lines.firstIndex { $0.hasPrefix("\(name): ") || $0.hasPrefix("\"\(name)\": ") })
            #expect(lines[lines.index(before: place)].hasPrefix("// "), "\(definition.key) has no comment")
            lines = lines[place...].dropFirst()
        }
        #expect(try SettingSources(file: shippedFile).load().settings == Settings())
    }

    @Test func `every default is allowed, and shown as it is read`() throws {
        for definition in SettingDefinition.all {
            let shown = definition.shown(in: Settings())
            let key = definition.key.split(separator: ".")
            let file = try SettingsFile.parse(Array("{ \(key[0]): { \"\(key[1])\": \(shown) } }".utf8))
            var settings = Settings()
            #expect(definition.apply(file.entries[0].input, &settings) && settings == Settings(), "\(definition.key)")
        }
    }

    @Test func `names in the environment are made from the keys and differ`() {
        #expect(SettingDefinition.named("limits.url")?.variable == "SHORTY_LIMITS_URL")
        #expect(SettingDefinition.named("server.public-url")?.variable == "SHORTY_SERVER_PUBLIC_URL")
        let names = SettingDefinition.all.flatMap { [$0.variable, $0.variable + "_FILE"] }
        #expect(Set(names).count == names.count)
    }

    @Test func `a flag wins over the environment, that over the file, that over the default`() throws {
        let file = try temporaryFile("{ limits: { url: 100, slug: 10, body: '2MiB' } }")
        defer { try? FileManager.default.removeItem(atPath: file) }
        let flags = [SettingSources.Flag(name: "--url", key: "limits.url", input: .text("300"))]
        let environment = ["SHORTY_LIMITS_URL": "200", "SHORTY_LIMITS_SLUG": "20"]
        let loaded = try SettingSources(file: file, environment: environment, flags: flags).load()
        #expect(
            loaded.settings.limits.url == 300 && loaded.settings.limits.slug == 20 && loaded.settings.limits.body == 2 << 20
        )
        #expect(loaded.settings.limits.headerFields == 100)
        #expect(
            loaded.origins == [
                "limits.url": .flag("--url"), "limits.slug": .environment("SHORTY_LIMITS_SLUG"),
                "limits.body": .file(file),
            ])
    }

    @Test func `the environment can name the file, and a flag another`() throws {
        let file = try temporaryFile("{ limits: { url: 100 } }")
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(try SettingSources(environment: ["SHORTY_CONFIG": file]).load().settings.limits.url == 100)
        #expect(
            try SettingSources(file: shippedFile, environment: ["SHORTY_CONFIG": file]).load().settings.limits.url == 500)
    }

    @Test func `all values of the environment are understood`() throws {
        let loaded = try SettingSources(environment: [
            "SHORTY_SERVER_LISTEN": "127.0.0.1:0, [::1]:1 unix:/x", "SHORTY_SERVER_PUBLIC_URL": "https://s.example/",
            "SHORTY_STORE_DATABASE": "/data/s.db", "SHORTY_STORE_CACHE": "1GiB", "SHORTY_LIMITS_HEAD_TIME": "1500ms",
            "SHORTY_REDIRECT_STATUS": "308", "SHORTY_LISTING_PUBLIC": "false", "SHORTY_LOG_LEVEL": "debug",
            "SHORTY_LOG_FORMAT": "json", "SHORTY_TLS_CERTIFICATE": "/a.pem,/b c.pem", "SHORTY_TLS_KEY": "/a.key,/b c.key",
            "SHORTY_COLLECTIONS_ALIASES": "/a.php=x/random?c,/b=y/detail", "SHORTY_TLS_MINIMUM_VERSION": "1.3",
            "SHORTY_SERVER_STRICT_TRANSPORT_SECURITY": "max-age=60",
        ]).load()
        var expected = Settings()
        expected.server.listen = [
            ListenEndpoint(.address(host: "127.0.0.1", port: 0)), ListenEndpoint(.address(host: "::1", port: 1)),
            ListenEndpoint(.local(path: "/x")),
        ]
        expected.server.publicURL = PublicURL("https://s.example")
        expected.store.database = "/data/s.db"
        expected.store.cache = 1 << 30
        expected.limits.headTime = .milliseconds(1_500)
        expected.redirect.status = 308
        expected.listing.isPublic = false
        expected.log.level = .debug
        expected.log.format = .json
        expected.tls.certificate = ["/a.pem", "/b c.pem"]
        expected.tls.key = ["/a.key", "/b c.key"]
        expected.tls.minimumVersion = .tls13
        expected.server.strictTransport = "max-age=60"
        expected.collections.aliases = ["/a.php=x/random?c", "/b=y/detail"].compactMap(AliasRule.init)
        #expect(loaded.settings == expected && loaded.warnings.isEmpty)
        #expect(try SettingSources(environment: ["SHORTY_SERVER_PUBLIC_URL": ""]).load().settings.server.publicURL == nil)
    }

    @Test func `an unknown variable only warns`() throws {
        let loaded = try SettingSources(environment: [
            "SHORTY_LIMITS_ULR": "5", "SHORTY_PORT_8080_TCP": "tcp://1.2.3.4", "SHORTY_LIMITS_URL_FILE": "/x", "OTHER": "1",
        ]).load()
        #expect(
            loaded.warnings == [
                "SHORTY_LIMITS_ULR in the environment is no setting; did you mean SHORTY_LIMITS_URL?",
                "SHORTY_LIMITS_URL_FILE in the environment is no setting.",
                "SHORTY_PORT_8080_TCP in the environment is no setting.",
            ])
        #expect(loaded.settings == Settings())
    }

    @Test(arguments: [
        ("{\n limits: { ulr: 5 } }", #"FILE: there is no setting "limits.ulr"; did you mean limits.url?"#),
        (
            "{ log: { zzzzzz: 5 } }",
            #"FILE: there is no setting "log.zzzzzz"; known here are log.format, log.level, log.access."#
        ),
        ("{ limits: { url: 8001 } }", "FILE: limits.url is 8001; allowed is a whole number from 16 to 8000."),
        ("{ limits: { url: 1e4 } }", "FILE: limits.url is 10000; allowed is a whole number from 16 to 8000."),
        ("{ limits: { url: null } }", "FILE: limits.url is null; allowed is a whole number from 16 to 8000."),
        ("{ redirect: { status: 303 } }", "FILE: redirect.status is 303; allowed is 301, 302, 307 or 308."),
        ("{ log: { level: 'loud' } }", #"FILE: log.level is "loud"; allowed is "error", "warning", "info" or "debug"."#),
        ("{ log: { access: 'yes' } }", #"FILE: log.access is "yes"; allowed is true or false."#),
        ("{ store: { database: 5 } }", "FILE: store.database is 5; allowed is the path of a file, in quotes."),
        (
            "{ redirect: { 'cache-control': 'a\\r\\nX: y' } }",
            #"FILE: redirect.cache-control is "a\r\nX: y"; allowed is a header field's value in quotes, 1 to 200 printable ASCII characters."#
        ),
        (
            "{ server: { listen: ['127.0.0.1'] } }",
            #"FILE: server.listen is ["127.0.0.1"]; allowed is a list of addresses like "127.0.0.1:8080", "[::1]:8080", ":8080" (every address) or "unix:/run/shorty/shorty.sock", with "tls:" before it for HTTPS, "proxy:" for the PROXY protocol."#
        ),
        (
            "{ server: { listen: [] } }",
            #"FILE: server.listen is []; allowed is a list of addresses like "127.0.0.1:8080", "[::1]:8080", ":8080" (every address) or "unix:/run/shorty/shorty.sock", with "tls:" before it for HTTPS, "proxy:" for the PROXY protocol."#
        ),
        (
            "{ server: { listen: ['tls:127.0.0.1:443'] } }",
            "server.listen has tls:127.0.0.1:443, which needs tls.certificate and tls.key."
        ),
        (
            "{ tls: { certificate: ['a', 'b'], key: ['c'] } }",
            "tls.certificate names 2 and tls.key 1 files; each certificate needs its key, in the same order."
        ),
        (
            "{ server: { 'https-redirect': true, 'public-url': 'https://s.example' } }",
            #"server.https-redirect leads nowhere: server.listen has no address with "tls:", and server.trusted-proxies names no proxy that could do the TLS."#
        ),
        (
            "{ server: { 'https-redirect': true, listen: ['tls::443', ':80'] }, tls: { certificate: ['a'], key: ['b'] } }",
            "server.https-redirect needs a server.public-url that begins with https://."
        ),
        (
            "{ server: { 'strict-transport-security': 'max-age' } }",
            #"FILE: server.strict-transport-security is "max-age"; allowed is null, or a value like "max-age=31536000" or "max-age=31536000; includeSubDomains"."#
        ),
        (
            "{ tls: { 'minimum-version': '1.1' } }",
            #"FILE: tls.minimum-version is "1.1"; allowed is "1.2" or "1.3"."#
        ),
        (
            "{ slugs: { length: 20 }, limits: { slug: 10 } }",
            "slugs.length is 20 and limits.slug is 10; generated slugs may not be longer than chosen ones."
        ),
        (
            "{ limits: { url: 100 }, 'limits.url': 200 }",
            #"FILE: "limits.url" is given twice, in its group and by its whole name."#
        ),
        ("[]", "FILE: the file must hold an object: { server: { ... }, ... }."),
        ("{ a: 1", "FILE: the file ends too early; a closing bracket, quote or */ is missing."),
        (
            "{\n log: { level: 'info' },\n log: { access: true } }",
            #"FILE:3: "log" is given twice, first in line 2; merge the two into one."#
        ),
        ("{ limits: { url: 100.5 } }", "FILE: limits.url is 100.5; allowed is a whole number from 16 to 8000."),
        ("{ limits: { url: Infinity } }", "FILE: limits.url is NaN; allowed is a whole number from 16 to 8000."),
        (
            "{ keys: { secret: 5 } }",
            "FILE: keys.secret has a value that cannot be used; allowed is null, or a text in quotes that is not empty."
        ),
    ])
    func `a wrong file stops the start`(text: String, message: String) throws {
        let file = try temporaryFile(text)
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(problems(SettingSources(file: file)) == [message.replacingOccurrences(of: "FILE", with: file)])
    }

    @Test func `everything that is wrong is said at once`() {
        let found = problems(
            SettingSources(
                file: "/nowhere/shorty.json5", environment: ["SHORTY_LIMITS_URL": "x"],
                flags: [SettingSources.Flag(name: "--listen", key: "server.listen", input: .list(["a", "b"]))]))
        #expect(found.count == 3)
        #expect(found[0] == "/nowhere/shorty.json5 cannot be read: no such file or directory.")
        #expect(found[1] == #"SHORTY_LIMITS_URL: limits.url is "x"; allowed is a whole number from 16 to 8000."#)
        #expect(found[2].hasPrefix(#"--listen: server.listen is ["a", "b"]; allowed is"#))
    }

    @Test(arguments: [("KEY\n", "KEY"), ("KEY\r\n", "KEY"), (" KEY", " KEY"), ("KEY\n\n", "KEY\n"), ("KEY", "KEY")])
    func `a secret's file loses its one line end`(content: String, secret: String) throws {
        let file = try temporaryFile(content)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let loaded = try SettingSources(environment: ["SHORTY_KEYS_SECRET_FILE": file]).load()
        #expect(loaded.settings.keys.secret == secret)
        #expect(loaded.origins["keys.secret"] == .secretFile("SHORTY_KEYS_SECRET_FILE"))
        #expect(SettingDefinition.named("keys.secret")?.shown(in: loaded.settings) == "\"***\"")
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func `an empty secret's file stops the start`(content: String) throws {
        let file = try temporaryFile(content)
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(
            problems(SettingSources(environment: ["SHORTY_KEYS_SECRET_FILE": file])) == [
                "SHORTY_KEYS_SECRET_FILE: \"\(file)\" is empty; write the secret into it."
            ])
    }

    @Test func `a missing secret's file, and an empty secret, stop the start`() {
        #expect(
            problems(SettingSources(environment: ["SHORTY_KEYS_SECRET_FILE": "/nowhere/key"])) == [
                #"SHORTY_KEYS_SECRET_FILE: "/nowhere/key" cannot be read: no such file or directory."#
            ])
        #expect(
            problems(SettingSources(environment: ["SHORTY_KEYS_SECRET_FILE": ""])) == [
                #"SHORTY_KEYS_SECRET_FILE: "" cannot be read: no such file or directory."#
            ])
        #expect(problems(SettingSources(environment: ["SHORTY_KEYS_SECRET": ""])).count == 1)
        #expect(
            problems(SettingSources(environment: ["SHORTY_KEYS_SECRET": "a", "SHORTY_KEYS_SECRET_FILE": "/x"])) == [
                "SHORTY_KEYS_SECRET and SHORTY_KEYS_SECRET_FILE are both set; take one away."
            ])
    }

    private func problems(_ sources: SettingSources) -> [String] {
        do {
            _ = try sources.load()
            return []
        } catch {
            return error.problems.map(\.message)
        }
    }

    private func temporaryFile(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-settings-\(UUID().uuidString)")
            .path
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        return file
    }
}
