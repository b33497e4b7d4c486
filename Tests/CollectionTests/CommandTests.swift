// The commands about collections, events and users, from the words typed to what the store then holds.
import Foundation
import Glibc
import SQLiteStore
import Shortening
import Testing

@testable import Shorty

@Suite struct CommandTests {
    private struct Outcome {
        let code: Int32
        let output: String
        let errors: String
    }

    /// A folder with a store and a link `talk` in it.
    private final class Stage {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-\(UUID().uuidString)")
        var database: String { folder.path + "/shorty.db" }

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let link = NewLink(slug: .chosen(Slug(stored: "talk")), longURL: LongURL(stored: "https://example.com/talk"))
            try look { _ = try $0.add(link) }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// Runs a command; `input` is what stands on its standard input.
        func run(_ words: String..., input: String = "") throws -> Outcome {
            let names = ["in", "out", "err"].map { folder.path + "/" + $0 }
            for name in names {
                try (name.hasSuffix("/in") ? input : "").write(toFile: name, atomically: false, encoding: .utf8)
            }
            let files = unsafe [open(names[0], O_RDONLY), open(names[1], O_WRONLY), open(names[2], O_WRONLY)]
            defer { for file in files { close(file) } }
            let surroundings = Surroundings(
                environment: ["SHORTY_STORE_DATABASE": database],
                console: Console(output: files[1], errors: files[2], input: files[0]))
            let code = Shorty.run(arguments: words, in: surroundings)
            return Outcome(
                code: code, output: try String(contentsOfFile: names[1], encoding: .utf8),
                errors: try String(contentsOfFile: names[2], encoding: .utf8))
        }

        func look<Value>(_ body: (SQLiteStore) throws -> Value) throws -> Value {
            let store = try SQLiteStore.open(file: database)
            defer { store.close() }
            return try body(store)
        }
    }

    @Test func `a collection is made, filled, listed and removed`() throws {
        let stage = try Stage()
        for words in [["courses"], ["drafts", "--private"]] {
            let made = try stage.run("collection", "create", words[0], words.count > 1 ? words[1] : "--")
            #expect(made.code == 0 && made.output.isEmpty && made.errors.isEmpty)
        }
        #expect(try stage.run("collection", "create", "courses").code == 1)
        #expect(
            try stage.run("collection", "add", "courses", "talk", "--tag", "Red", "--tag=big", "--description", "Ours").code
                == 0)
        #expect(try stage.run("collection", "add", "courses", "talk").code == 0, "twice is as good as once")
        #expect(
            try stage.run("collection", "list").output == """
                NAME     READERS  LINKS
                courses  public   1
                drafts   private  0

                """)
        try stage.look { store in
            let collection = try #require(try store.collection(CollectionName(stored: "courses")))
            let members = try store.members(of: collection.id, EventFilter(), after: nil, limit: 10).members
            #expect(members.map(\.slug.text) == ["talk"])
            #expect(members[0].tags.map(\.text) == ["big", "red"])
        }
        #expect(try stage.run("collection", "remove", "courses", "talk").code == 0)
        #expect(try stage.run("collection", "remove", "courses", "talk").code == 1)
        #expect(try stage.run("collection", "remove", "courses").code == 0)
        #expect(try stage.run("collection", "remove", "courses").errors.contains("There is no collection \"courses\""))
        #expect(try stage.run("remove", "talk").code == 0, "the link itself was left")
    }

    @Test(arguments: ["add", "Private", "a b", "", "x.json", ".", "rés"])
    func `a name that no slug could have is none for a collection`(name: String) throws {
        let outcome = try Stage().run("collection", "create", "--", name)
        #expect(outcome.code == 1 && outcome.errors.hasPrefix("shorty: "))
        #expect(outcome.errors.contains("can be no collection"))
    }

    @Test func `what is missing is named`() throws {
        let stage = try Stage()
        #expect(try stage.run("collection", "add", "none", "talk").errors.contains("no collection \"none\""))
        _ = try stage.run("collection", "create", "courses")
        #expect(try stage.run("collection", "add", "courses", "none").errors.contains("no link with the slug \"none\""))
        #expect(
            try stage.run("event", "add", "none", "--start", "2030-01-01").errors.contains("no link with the slug \"none\"")
        )
        #expect(try stage.run("collection", "add", "courses").code == 2)
        #expect(try stage.run("collection").errors.contains("`collection create`"))
        #expect(try stage.run("collection", "add", "courses", "talk", "--tag", "a,b").code == 2)
        #expect(try stage.run("collection", "remove", "courses", "none").errors.contains("is not in a collection"))
    }

    @Test func `events are added with all they say, the end and the texts optional`() throws {
        let stage = try Stage()
        let full = try stage.run(
            "event", "add", "talk", "--start", "2030-11-03", "--end", "2030-11-07", "--instructors", "Ann, Bob",
            "--location",
            "Rome")
        #expect(full.code == 0 && full.output.isEmpty)
        #expect(try stage.run("event", "add", "talk", "--start=2030-01-01").code == 0)
        _ = try stage.run("collection", "create", "courses")
        _ = try stage.run("collection", "add", "courses", "talk")
        let events = try stage.look { store in
            let collection = try #require(try store.collection(CollectionName(stored: "courses")))
            return try store.members(of: collection.id, EventFilter(), after: nil, limit: 10).members[0].events
        }
        #expect(events.map(\.firstDay.text) == ["2030-01-01", "2030-11-03"])
        #expect(events.map(\.lastDay.text) == ["2030-01-01", "2030-11-07"])
        #expect(events.map(\.instructors) == ["", "Ann, Bob"] && events.map(\.location) == ["", "Rome"])
    }

    @Test(arguments: [
        ["--start", "2030-02-30"], ["--start", "3.11.2030"], ["--start", "2030-01-02", "--end", "2030-01-01"],
        ["--start", "2030-01-02", "--end", "soon"], ["--location", "Rome"],
    ])
    func `an event that cannot be is wrong usage`(words: [String]) throws {
        let stage = try Stage()
        let outcome =
            words.count == 4
            ? try stage.run("event", "add", "talk", words[0], words[1], words[2], words[3])
            : try stage.run("event", "add", "talk", words[0], words[1])
        #expect(outcome.code == 2 && outcome.errors.contains("shorty: "))
    }

    @Test func `a user's password comes from standard input, its first line exactly`() throws {
        let stage = try Stage()
        for (input, password) in [("secret\n", "secret"), (" pa:ss wörd \r\nmore\n", " pa:ss wörd "), ("last", "last")] {
            let outcome = try stage.run("user", "create", "anna", input: input)
            #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.errors.contains("anna"))
            let hash = try #require(try stage.look { try $0.password(of: "anna") })
            #expect(hash.matches(Array(password.utf8)) == true)
            #expect(!hash.text.contains(password))
        }
    }

    @Test func `whose account, first password or other password it was is said`() throws {
        let stage = try Stage()
        _ = try stage.run("key", "create", "--name", "bob")
        let answers = try ["anna", "bob", "bob"].map { try stage.run("user", "create", $0, input: "secret\n").errors }
        #expect(answers[0].contains("made the account anna\n"))
        #expect(answers[1] == "gave a password to the account bob\n")
        #expect(answers[2] == "changed the password of bob\n")
    }

    @Test func `no password, and none that could be typed nowhere, changes nothing`() throws {
        let stage = try Stage()
        for input in ["", "\n", "a\u{7}b\n", String(repeating: "x", count: 1025) + "\n"] {
            #expect(try stage.run("user", "create", "anna", input: input).code == 1)
        }
        for name in ["", "a:b", "a\nb", String(repeating: "x", count: 101)] {
            #expect(try stage.run("user", "create", "--", name, input: "x\n").code == 2)
        }
        #expect(try stage.look { try $0.password(of: "anna") } == nil)
    }

    // MARK: On a terminal

    @Test(arguments: [("secret\nsecret\n", Int32(0)), ("secret\nSecret\n", 1), ("\n", 1)])
    func `on a terminal the password is asked for twice, and never shown`(typed: String, code: Int32) throws {
        let stage = try Stage()
        var (person, terminal) = (Int32(-1), Int32(-1))
        try #require(unsafe openpty(&person, &terminal, nil, nil, nil) == 0)
        defer {
            close(person)
            close(terminal)
        }
        let (bytes, keyboard) = (Array(typed.utf8), person)
        // Somebody types each line when it is asked for: what is typed before is thrown away.
        let typist = Thread {
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
                var (seen, byte) = ([UInt8](), UInt8(0))
                while !seen.suffix(2).elementsEqual(Array(": ".utf8)), unsafe read(keyboard, &byte, 1) == 1 {
                    seen.append(byte)
                }
                let text = Array(line) + [UInt8(ascii: "\n")]
                _ = unsafe text.withUnsafeBytes { unsafe write(keyboard, $0.baseAddress, $0.count) }
            }
        }
        typist.start()
        let surroundings = Surroundings(
            environment: ["SHORTY_STORE_DATABASE": stage.database],
            console: Console(output: terminal, errors: terminal, input: terminal))
        #expect(Shorty.run(arguments: ["user", "create", "anna"], in: surroundings) == code)
        #expect(try (stage.look { try $0.password(of: "anna") } != nil) == (code == 0))
        var after = termios()
        unsafe tcgetattr(terminal, &after)
        #expect(after.c_lflag & tcflag_t(ECHO) != 0, "the terminal shows again what is typed")
        var rest = [UInt8](repeating: 0, count: 4096)
        _ = fcntl(person, F_SETFL, O_NONBLOCK)
        let count = unsafe read(person, &rest, rest.count)
        #expect(!String(decoding: rest.prefix(max(0, count)), as: UTF8.self).lowercased().contains("secret"))
    }
}
