// The commands, run against a store of their own.
import Foundation
import Glibc
import Testing

@testable import Shorty

struct CommandTests {
    private let stage = try? Rehearsal()

    @Test(arguments: [
        ([], 2, "shorty: a command is missing.\nTry `shorty help`.\n"),
        (["srve"], 2, "shorty: there is no command \"srve\"; did you mean `serve`?\nTry `shorty help`.\n"),
        (["key"], 2, "shorty: `key` needs a second word: `key create`, `key list`, `key revoke`.\nTry `shorty help`.\n"),
        (["add"], 2, "shorty: `add` needs URL.\nTry `shorty help add`.\n"),
        (["help", "nonsense"], 2, "shorty: there is no command \"nonsense\".\nTry `shorty help`.\n"),
    ])
    func `wrong usage ends in 2 and says how to get help`(words: [String], code: Int32, errors: String) throws {
        let stage = try #require(stage)
        let surroundings = Surroundings(
            console: unsafe Console(
                output: open("/dev/null", O_WRONLY), errors: open(try stage.write("", to: "e"), O_WRONLY)))
        #expect(Shorty.run(arguments: words, in: surroundings) == code)
        #expect(try String(contentsOf: stage.folder.appendingPathComponent("e"), encoding: .utf8) == errors)
    }

    @Test func `help and version are results`() throws {
        let stage = try #require(stage)
        for outcome in [try stage.run("help"), try stage.run("--help"), try stage.run("-h")] {
            #expect(outcome.code == 0 && outcome.errors.isEmpty && outcome.output.contains("key create"))
        }
        let serve = try stage.run("help", "serve").output
        #expect(serve.hasPrefix("Usage: shorty serve [--config FILE]"))
        #expect(try stage.run("serve", "--help").output == serve)
        #expect(try stage.run("help", "key").output.contains("Usage: shorty key revoke"))
        #expect(try stage.run("version").output == "shorty \(Version.text)\n")
    }

    @Test func `a result that does not arrive is no success`() {
        let surroundings = Surroundings(
            console: unsafe Console(output: open("/dev/full", O_WRONLY), errors: open("/dev/null", O_WRONLY)))
        #expect(Shorty.run(arguments: ["version"], in: surroundings) == 1)
    }

    @Test func `check-config shows what is in force and where it came from`() throws {
        let stage = try #require(stage)
        let file = try stage.write("{\n limits: { url: 600 } }", to: "shorty.json5")
        let good = try stage.run(
            "check-config", "--config", file,
            environment: ["SHORTY_LOG_LEVEL": "debug", "SHORTY_LOG_LEVL": "x", "SHORTY_KEYS_SECRET": "s3cret"])
        #expect(good.code == 0)
        let rows = good.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.contains(["limits.url", "600", file]))
        #expect(rows.contains(["log.level", "\"debug\"", "SHORTY_LOG_LEVEL"]))
        #expect(rows.contains(["limits.slug", "45", "default"]))
        #expect(rows.contains(["keys.secret", "\"***\"", "SHORTY_KEYS_SECRET"]))
        #expect(good.errors == "shorty: SHORTY_LOG_LEVL in the environment is no setting; did you mean SHORTY_LOG_LEVEL?\n")

        try stage.write("{ limits: { url: 1 }, nope: 1 }", to: "shorty.json5")
        let bad = try stage.run("check-config", "--config", file)
        #expect(bad.code == 1 && bad.output.isEmpty)
        #expect(bad.errors.split(separator: "\n").count == 2 && bad.errors.contains("limits.url is 1;"))
    }

    @Test func `a bad value is wrong usage in a flag, and a failure elsewhere`() throws {
        let stage = try #require(stage)
        #expect(try stage.run("serve", "--listen", "nowhere").code == 2)
        #expect(try stage.run("serve", environment: ["SHORTY_SERVER_LISTEN": "nowhere"]).code == 1)
        #expect(try stage.run("serve", "--config", "/nowhere/x.json5").errors.contains("/nowhere/x.json5 cannot be read"))
    }

    @Test func `a key is made, listed and revoked`() throws {
        let stage = try #require(stage)
        let made = try stage.run("key", "create", "--name", "anna", "--label", "lap\u{1B}top")
        #expect(made.code == 0 && made.errors.contains("made a new store"))
        #expect(made.output.wholeMatch(of: /[0-9a-f]{32}\n/) != nil)
        #expect(try stage.run("key", "create", "--name", "bob", "--secret", "my_key").output == "my_key\n")
        #expect(try stage.run("key", "create", "--name", "eve", "--secret", "my_key").code == 1)
        #expect(try stage.run("key", "create", "--name", "").errors.contains("--name is empty"))

        let list = try stage.run("key", "list").output.split(separator: "\n")
        #expect(list.count == 3 && list[1].contains("anna") && list[1].contains("lap top") && !list[1].contains("\u{1B}"))
        #expect(try stage.run("key", "revoke", "1").code == 0)
        #expect(try stage.run("key", "revoke", "1").code == 1)
        #expect(try stage.run("key", "revoke", "one").code == 2)
        #expect(try stage.run("key", "list").output.split(separator: "\n").count == 2)
        #expect(try stage.run("key", "list", "--all").output.split(separator: "\n").count == 3)
    }

    @Test(arguments: [
        ("KEY\n", "KEY\n"), ("KEY\r\n", "KEY\n"), (" KEY", nil), ("", nil), ("\n", nil), ("a b", nil), ("..", nil),
    ])
    func `a key's file is read without its line end`(content: String, output: String?) throws {
        let stage = try #require(stage)
        let file = try stage.write(content, to: "key")
        let outcome = try stage.run("key", "create", "--name", "n", "--secret-file", file)
        #expect(outcome.code == (output == nil ? 1 : 0) && outcome.output == output ?? "")
        #expect(output != nil || !outcome.errors.contains("KEY"))
    }

    @Test func `a link is added, listed and removed`() throws {
        let stage = try #require(stage)
        let added = try stage.run("add", "example.com/a?b=c", "--slug", "talk", "--title", "T\n\u{2028}", "--listed")
        #expect(added.output == "http://127.0.0.1:8080/talk\n" && added.code == 0)
        #expect(added.errors.contains("no public-url is set, so short URLs are taken to begin with http://127.0.0.1:8080;"))
        let made = try stage.run("add", "https://example.com/é", "--public-url", "https://s.example/")
        #expect(made.output.wholeMatch(of: /https:\/\/s\.example\/[2-9A-Za-z]{6}\n/) != nil)
        #expect(made.errors.isEmpty)

        let lines = try stage.run("list").output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("  talk          http://example.com/a?b=c  \"T  \""))
        let json = try stage.run("list", "--json").output.split(separator: "\n")
        let first = try #require(try JSONSerialization.jsonObject(with: Data(json[0].utf8)) as? [String: Any])
        #expect(first["slug"] as? String == "talk" && first["url"] as? String == "http://example.com/a?b=c")
        #expect(
            first["title"] as? String == "T\n\u{2028}" && first["listed"] as? Bool == true && first["clicks"] as? Int == 0)

        #expect(try stage.run("remove", "talk").code == 0)
        #expect(
            try stage.run("remove", "talk").errors
                == "shorty: There is no link with the slug \"talk\"; `shorty list` shows all.\n")
        #expect(try stage.run("list").output.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        (["foo"], "The long URL has no scheme"), (["javascript:alert(1)"], "\"javascript\""),
        (["https://e.com", "--slug", "api-add"], "reserved"),
        (["https://e.com", "--slug", ""], "empty"), (["https://e.com", "--slug", "a/b"], "must not contain \"/\""),
        (["https://e.com/" + String(repeating: "x", count: 500)], "too long"), (["http://127.0.0.1:8080/x"], "itself"),
    ])
    func `a link that cannot be is refused with the reason`(words: [String], reason: String) throws {
        let stage = try #require(stage)
        let surroundings = Surroundings(
            environment: ["SHORTY_STORE_DATABASE": stage.database],
            console: unsafe Console(
                output: open("/dev/null", O_WRONLY), errors: open(try stage.write("", to: "e"), O_WRONLY)))
        #expect(Shorty.run(arguments: ["add"] + words, in: surroundings) == 1)
        let errors = try String(contentsOf: stage.folder.appendingPathComponent("e"), encoding: .utf8)
        #expect(errors.contains(reason) && errors.split(separator: "\n").count == 1)
        // Nor does it leave an empty store behind.
        #expect(!FileManager.default.fileExists(atPath: stage.database))
    }

    @Test func `a mistyped database is not made by looking into it`() throws {
        let stage = try #require(stage)
        for words in [["list"], ["remove", "x"], ["key", "list"], ["key", "revoke", "1"]] {
            let missing = stage.folder.appendingPathComponent("missing.db").path
            let surroundings = Surroundings(
                environment: ["SHORTY_STORE_DATABASE": missing],
                console: unsafe Console(output: open("/dev/null", O_WRONLY), errors: open("/dev/null", O_WRONLY)))
            #expect(Shorty.run(arguments: words, in: surroundings) == 1)
            #expect(!FileManager.default.fileExists(atPath: missing))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can leave files of root"))
    func `a command of root leaves the files to the folder's owner`() throws {
        let stage = try #require(stage)
        #expect(unsafe chown(stage.folder.path, 12_345, 12_345) == 0)
        #expect(try stage.run("key", "create", "--name", "n").code == 0)
        #expect(try stage.run("add", "https://e.com").code == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: stage.folder.path) where name.hasPrefix("shorty.db")
        {
            let facts = try FileManager.default.attributesOfItem(atPath: stage.folder.appendingPathComponent(name).path)
            #expect(facts[.ownerAccountID] as? Int == 12_345, "\(name)")
        }
    }
}
