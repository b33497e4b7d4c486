// The front end over a store in memory, on a free port of 127.0.0.1; and requests for what is tested without a server.
import Foundation
import MemoryStore
import Shortening
import SocketClient
import Telemetry

@testable import HTTP
@testable import Web

final class WebService: Sendable {
    static let key = "my_key"

    let store = MemoryStore()
    let cache: HotCache
    private let port: UInt16
    private let server: Server

    init(_ change: (inout WebOptions) -> Void = { _ in }) throws {
        let site = SiteMap()
        let rules = ShorteningRules(
            reserved: site.reservedNames, generator: SlugGenerator(length: 6, reserved: site.reservedNames),
            publicURL: "http://s.test")
        cache = HotCache(bytes: 1 << 20, generations: store.generations)
        store.addKey(Self.key)
        var options = WebOptions()
        change(&options)
        let log = Log(level: .error)
        let services = Services(
            shortener: Shortener(store: store, cache: cache, rules: rules), keys: KeyRing(store: store), collections: store,
            accounts: store, options: options, log: log)
        let listener = try Listener(.address(host: "127.0.0.1", port: 0))
        port = listener.port
        var limits = Limits()
        // On a busy machine a test may be left alone for longer than a client may be silent.
        limits.headTime = .seconds(600)
        limits.bodyTime = .seconds(600)
        limits.idleTime = .seconds(600)
        server = try Server(listeners: [listener], loops: 1, options: ServerOptions(limits: limits), log: log)
        let meter = options.requestsPerMinute > 0 ? RequestMeter(limit: options.requestsPerMinute) : nil
        server.start { _ in
            let frontEnd = FrontEnd(services: services, pages: site)
            return meter.map { RequestBrake(before: frontEnd, $0) } ?? frontEnd
        }
    }

    deinit { Thread.detachNewThread { [server] in server.stop(within: .zero) } }

    func connect() throws -> SocketClient { try SocketClient(port: port) }

    func get(_ target: String, _ fields: String..., method: String = "GET") async throws -> Reply {
        let head = "\(method) \(target) HTTP/1.1\r\nHost: other.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
        return try await connect().ask(head, toHead: method == "HEAD")
    }

    static func post(_ target: String, _ body: String, type: String = "application/json") -> String {
        post(target, Array(body.utf8), type: type).reduce(into: "") { $0.unicodeScalars.append(UnicodeScalar($1)) }
    }

    static func post(_ target: String, _ body: [UInt8], type: String = "application/json") -> [UInt8] {
        Array("POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
            + body
    }

    func post(_ target: String, _ body: String, type: String = "application/json") async throws -> Reply {
        try await post(target, Array(body.utf8), type: type)
    }

    func post(_ target: String, _ body: [UInt8], type: String = "application/json") async throws -> Reply {
        let client = try connect()
        await client.send(Self.post(target, body, type: type))
        return try await client.reply()
    }

    /// Adds by JSON with the right key.
    func add(_ url: String, slug: String? = nil) async throws -> Reply {
        var fields = ["key": Self.key, "url": url]
        fields["url_slug"] = slug
        return try await post("/api-add", String(decoding: JSONEncoder().encode(fields), as: UTF8.self))
    }
}

extension Reply {
    /// The content as a JSON object of strings; empty where it is none.
    var strings: [String: String] { (try? JSONDecoder().decode([String: String].self, from: Data(body))) ?? [:] }

    /// What the Shortifier apps read.
    var word: String? { strings["Status"] }
    var message: String { strings["Message"] ?? "" }
}

/// Calls `body` with the request that these bytes are.
func withRequest<Value>(_ bytes: [UInt8], _ body: (borrowing Request) throws -> Value) rethrows -> Value? {
    guard case .head(let head) = RequestParser(limits: Limits()).parse(bytes.span) else { return nil }
    let content = Array(bytes[head.length...])
    let peer = Peer(address: .local, isSecure: false)
    defer { withExtendedLifetime(peer) {} }
    return try body(unsafe Request(head: head, bytes: bytes.span, body: content.span, peer: peer))
}
