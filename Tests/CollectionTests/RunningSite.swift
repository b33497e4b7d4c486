// A whole site for one test: a store in a folder of its own, the front ends, and a server on a free port of this machine.
import Foundation
import HTTP
import SQLiteStore
import Shortening
import SocketClient
import Telemetry

@testable import Web

/// What a test cannot go on without.
struct SetUpFault: Error {
    let message: String
}

extension Reply {
    func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(body)) }

    /// The content as a JSON object; empty where it is none.
    func object() throws -> [String: Any] { try json() as? [String: Any] ?? [:] }
}

final class RunningSite: Sendable {
    let store: SQLiteStore
    let shortener: Shortener
    let services: Services
    let port: UInt16
    private let server: Server
    private let folder: URL

    init(
        publicURL: String = "http://s.test", aliases: [CollectionAlias] = CollectionAlias.flowers,
        detailWait: Duration = .seconds(2), _ change: (inout WebOptions) -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-site-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var storeOptions = SQLiteStore.Options()
        storeOptions.isDaemon = true
        store = try SQLiteStore.open(file: folder.path + "/site.db", options: storeOptions)
        let pages = SiteMap(aliases: aliases)
        var options = WebOptions()
        options.detailWait = detailWait
        change(&options)
        let generator = SlugGenerator(length: 6, reserved: pages.reservedNames)
        let rules = ShorteningRules(reserved: pages.reservedNames, generator: generator, publicURL: publicURL)
        let cache = HotCache(bytes: 1 << 20, generations: store.generations)
        shortener = Shortener(store: store, cache: cache, rules: rules)
        let log = Log(level: .error)
        let services = Services(
            shortener: shortener, keys: KeyRing(store: store), collections: store, accounts: store, options: options,
            log: log)
        self.services = services
        let listener = try Listener(.address(host: "127.0.0.1", port: 0))
        port = UInt16(listener.port)
        server = try Server(listeners: [listener], loops: 2, options: ServerOptions(), log: log)
        server.start { _ in FrontEnd(services: services, pages: pages) }
    }

    deinit {
        server.stop(within: .seconds(1))
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Content

    /// Makes a collection with these links in it.
    func collect(_ name: String, isPublic: Bool = true, _ slugs: [String] = []) throws {
        _ = try store.createCollection(CollectionName(stored: name), isPublic: isPublic)
        for slug in slugs { _ = try store.addMember(Slug(stored: slug), to: CollectionName(stored: name)) }
    }

    @discardableResult
    func link(_ slug: String, _ url: String = "https://example.com/", title: String? = nil, tags: [String] = []) throws
        -> LinkID
    {
        let link = NewLink(slug: .chosen(Slug(stored: slug)), longURL: LongURL(stored: url), title: title)
        guard case .added(let slug, let id) = try store.add(link) else { throw SetUpFault(message: "\(slug) is taken") }
        _ = try store.setTags(tags.compactMap { Tag($0) }, of: slug)
        return id
    }

    func event(_ slug: String, _ first: String, _ last: String, _ instructors: String = "Ann", _ location: String = "Rome")
        throws
    {
        guard let first = Day(first), let last = Day(last) else { throw SetUpFault(message: "no day") }
        let event = try Event(firstDay: first, lastDay: last, instructors: instructors, location: location)
        _ = try store.addEvent(event, to: Slug(stored: slug))
    }

    /// With a hash that takes no time.
    func setPassword(_ password: String, of account: String) throws {
        guard let hash = PasswordHash(cheaply: Array(password.utf8)) else { throw SetUpFault(message: "no memory") }
        try store.setPassword(hash, of: account)
    }

    // MARK: Requests

    /// The answer to one request on a connection of its own; `fields` are whole lines.
    func get(_ target: String, _ fields: String..., method: String = "GET") async throws -> Reply {
        let client = try SocketClient(port: port)
        await client.send("\(method) \(target) HTTP/1.1\r\nHost: s.test\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
        return try await client.reply(toHead: method == "HEAD")
    }
}
