// The whole service but for its settings, on a free port of 127.0.0.1 and a store in a temporary folder.
import Foundation
import HTTP
import SQLiteStore
import Shortening
import Telemetry
import Web

final class LiveService {
    static let publicURL = "http://s.test"
    /// The account key that requests carry unless they say otherwise.
    static let key = "0123456789abcdef0123456789abcdef"

    let store: SQLiteStore
    let port: UInt16
    let folder: String
    private let server: Server
    private let log: Log
    private let logFile: FileHandle
    private let recorder: ClickRecorder

    init(publicURL: String = LiveService.publicURL, logFormat: LogFormat = .text, wrongKeys: Int = 10) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-squeeze-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder.path
        let logPath = folder.path + "/log"
        _ = FileManager.default.createFile(atPath: logPath, contents: nil)
        logFile = try FileHandle(forWritingTo: URL(fileURLWithPath: logPath))
        log = Log(format: logFormat, descriptor: logFile.fileDescriptor)
        store = try SQLiteStore.open(file: folder.path + "/links.db")

        let site = SiteMap()
        let rules = ShorteningRules(
            reserved: site.reservedNames, generator: SlugGenerator(length: 6, reserved: site.reservedNames),
            publicURL: publicURL)
        let cache = HotCache(bytes: 1 << 20, generations: store.generations)
        recorder = ClickRecorder(cache: cache, store: store, log: log)
        var options = WebOptions()
        options.wrongKeys = wrongKeys
        let services = Services(
            shortener: Shortener(store: store, cache: cache, rules: rules), keys: KeyRing(store: store),
            collections: store, accounts: store, options: options, log: log)
        let listener = try Listener(.address(host: "127.0.0.1", port: 0))
        port = listener.port
        let limits = Limits()
        var serving = ServerOptions(limits: limits)
        serving.logsAccess = true
        server = try Server(listeners: [listener], loops: 2, options: serving, log: log)
        recorder.start()
        server.start { _ in FrontEnd(services: services, pages: site) }
        try makeKey(Self.key, account: "ann")
    }

    deinit {
        server.stop(within: .seconds(5))
        recorder.stop()
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func makeKey(_ secret: String, account: String) throws {
        _ = try store.createKey(account: account, label: "", digest: KeySecret(chosen: secret).digest)
    }

    /// Stores a link under a chosen slug, nobody's.
    func add(_ slug: String, _ url: String) throws {
        _ = try store.add(NewLink(slug: .chosen(Slug(stored: slug)), longURL: LongURL(stored: url)))
    }

    /// What is in the log, once all of it is written.
    func logged() throws -> String {
        log.flush()
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder + "/log")), as: UTF8.self)
    }

    // MARK: Asking

    func send(_ request: String) throws -> Reply { try Caller(port: port).ask(request) }

    func get(_ target: String, _ client: Client = .linuxSession) throws -> Reply { try send(client.get(target)) }

    func squeeze(_ query: String, key: String = LiveService.key, _ client: Client = .linuxSession) throws -> Reply {
        try get("/Squeeze.svc/text/\(key)?url=\(query)", client)
    }

    /// Where a short URL of the service leads.
    func destination(of shortURL: String) throws -> String? {
        try get("/" + (shortURL.split(separator: "/").last ?? "")).fields["location"]
    }

    func report(_ query: String = "p=1&s=255", key: String = LiveService.key) throws -> [Row] {
        let reply = try get("/Reporting.svc/maps/\(key)?\(query)")
        return try JSONDecoder().decode(Report.self, from: Data(reply.body)).GetMapsResult
    }

    struct Row: Decodable, Equatable {
        let Url: String
        let Encoded: String
        let TotalClicks: Int
    }

    private struct Report: Decodable {
        let GetMapsResult: [Row]
    }
}
