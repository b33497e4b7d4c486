// A daemon under test: the real program in a folder of its own, on a port that the kernel chose.
internal import Foundation
internal import Glibc

/// A running `shorty serve`. One thread at a time starts and stops it; asking it is free for all.
final class TestDaemon: @unchecked Sendable {
    // Sendable by hand: `child` and `port` change only in `start`, before the threads of a test begin.

    static let key = "my_key"
    /// What its short URLs begin with.
    static let publicURL = "http://s.test"

    let folder: TemporaryFolder
    let database: String
    private(set) var child: Child
    private(set) var port: UInt16 = 0
    private let environment: [String: String]
    private let arguments: [String]
    private let wrapper: [String]

    /// Starts a daemon with `my_key` and these settings, written as the environment has them: `["LIMITS_URL": "300"]`. A
    /// `wrapper` is put in front of the program's words; `listen` is an address with port 0, or a path.
    init(
        _ settings: [String: String] = [:], listen: String = "127.0.0.1:0", arguments: [String] = [],
        folder: TemporaryFolder? = nil, database: String? = nil, wrapper: [String] = []
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        self.database = database ?? folder.file("s.db")
        self.wrapper = wrapper
        self.arguments = ["serve", "--listen", listen, "--database", self.database] + arguments
        var environment = Program.plainEnvironment
        environment["SHORTY_KEYS_SECRET"] = Self.key
        environment["SHORTY_SERVER_PUBLIC_URL"] = Self.publicURL
        environment["SHORTY_SERVER_LOOPS"] = "2"
        for (name, value) in settings { environment["SHORTY_\(name)"] = value.isEmpty ? nil : value }
        self.environment = environment
        child = try Child(wrapper + [Program.path] + self.arguments, environment: environment, folder: folder.path)
        try awaitStart()
    }

    // Before its folder goes.
    deinit { child.end() }

    /// Starts it again in the same folder, after its end.
    func start() throws {
        child = try Child(wrapper + [Program.path] + arguments, environment: environment, folder: folder.path)
        try awaitStart()
    }

    private func awaitStart() throws {
        let name = try eventually("a line that says where it listens; it said: \(child.errors)") {
            if let ending = child.poll() { throw Trouble("the daemon ended (\(ending)): \(child.errors)") }
            return child.errors.split(separator: "\n").compactMap(Self.address).first
        }
        port = name.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }

    /// The address in a log line, text or JSON, that names one.
    private static func address(_ line: Substring) -> String? {
        for mark in ["listening address=", "\"listening\",\"address\":\""] {
            guard let start = line.range(of: mark)?.upperBound else { continue }
            return String(line[start...].prefix { $0 != "\"" && $0 != " " })
        }
        return nil
    }

    var log: String { child.errors }

    /// Asks it to stop and returns how it ended.
    @discardableResult func stop(_ signal: Int32 = SIGTERM) throws -> Ending {
        child.send(signal)
        return try child.wait()
    }

    // MARK: Asking

    func connect() throws -> Wire { try Wire(.ipv4(port)) }

    /// Sends one request on a connection of its own. `fields` are whole lines.
    func ask(
        _ method: String, _ target: String, _ fields: [String] = [], body: [UInt8]? = nil
    ) throws -> Reply {
        let wire = try connect()
        var head = "\(method) \(target) HTTP/1.1\r\nHost: s.test\r\nConnection: close\r\n"
        for field in fields { head += field + "\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        try wire.send(Array((head + "\r\n").utf8) + (body ?? []))
        return try wire.reply(toHead: method == "HEAD")
    }

    func get(_ target: String, _ fields: [String] = []) throws -> Reply { try ask("GET", target, fields) }

    func post(json: String, to target: String = "/api-add") throws -> Reply {
        try ask("POST", target, ["Content-Type: application/json"], body: Array(json.utf8))
    }

    func post(form: String, to target: String = "/api-add") throws -> Reply {
        try ask("POST", target, ["Content-Type: application/x-www-form-urlencoded"], body: Array(form.utf8))
    }

    /// Adds a link the way the clients do; nil leaves the slug out.
    func add(_ slug: String?, _ url: String, key: String? = TestDaemon.key) throws -> Reply {
        var members = ["url": url]
        members["url_slug"] = slug
        members["key"] = key
        return try post(json: String(decoding: JSONEncoder().encode(members), as: UTF8.self))
    }

    // MARK: Beside it

    /// Runs a command of the program on the same store.
    func command(_ words: String...) throws -> Outcome {
        try Program.run(words + ["--database", database], in: folder)
    }

    /// Visits of a link, as `shorty list` tells them.
    func visits(_ slug: String) throws -> Int? {
        struct Row: Decodable {
            let slug: String
            let clicks: Int
        }
        let outcome = try command("list", "--json")
        guard outcome.isSuccess else { throw Trouble("list failed: \(outcome.errors)") }
        return try outcome.output.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
            .first { $0.slug == slug }?.clicks
    }

    /// Runs SQL with the sqlite3 command and returns what it prints.
    @discardableResult func sql(_ text: String) throws -> String {
        let outcome = try Program.run(tool: "sqlite3", ["-batch", "-cmd", ".timeout 5000", database, text], in: folder)
        guard outcome.isSuccess else { throw Trouble("sqlite3 failed: \(outcome.errors)") }
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    /// Kilobytes of memory in use (proc(5)).
    var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(child.pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
