// One connection, one request at a time, so that every run of the loop does exactly the same.
internal import Glibc
internal import HTTP
internal import MemoryStore
internal import Shortening
internal import Telemetry
internal import Web

enum Count {
    /// Links that are asked for in turn; all of them fit the cache.
    private static let slugs = (0..<1_000).map { "slug\($0)" }

    /// Asks for as many redirects as the first argument says. Ends the program with 1 where an answer is not a redirect.
    static func run() {
        guard CommandLine.arguments.count == 2, let requests = Int(CommandLine.arguments[1]) else {
            fail("usage: redirect-instructions REQUESTS")
        }
        do {
            let (server, port) = try start()
            let socket = connect(port)
            for index in 0..<requests { ask(socket, slugs[index % slugs.count]) }
            Glibc.close(socket)
            server.stop(within: .zero)
        } catch {
            fail("the server cannot start: \(error)")
        }
    }

    private static func start() throws -> (Server, UInt16) {
        let site = SiteMap()
        let generator = SlugGenerator(length: 6, reserved: site.reservedNames)
        let rules = ShorteningRules(reserved: site.reservedNames, generator: generator, publicURL: "http://s.test")
        let store = MemoryStore()
        let log = Log(level: .error)
        let cache = HotCache(bytes: 64 << 20, generations: store.generations)
        for (index, text) in slugs.enumerated() {
            let slug = Slug(stored: text)
            let target = Target(
                id: LinkID(rawValue: Int64(index + 1)),
                longURL: LongURL(stored: "https://example.com/some/long/path?id=\(text)"))
            cache.insert(slug, target, generation: store.generations.generation(of: slug))
        }
        let services = Services(
            shortener: Shortener(store: store, cache: cache, rules: rules), keys: KeyRing(store: store), collections: store,
            accounts: store, options: WebOptions(), log: log)
        let listener = try Listener(.address(host: "127.0.0.1", port: 0))
        let server = try Server(listeners: [listener], loops: 1, options: ServerOptions(), log: log)
        server.start { _ in FrontEnd(services: services, pages: site) }
        return (server, listener.port)
    }

    private static func connect(_ port: UInt16) -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // The address is read during the call only.
        let isConnected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { fail("no connection: \(errno)") }
        return socket
    }

    private static func ask(_ socket: Int32, _ slug: String) {
        // What a browser sends, as far as its length and its fields go.
        let request = Array(
            """
            GET /\(slug) HTTP/1.1\r
            Host: links.example\r
            User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\r
            Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r
            Accept-Encoding: gzip, deflate, br, zstd\r
            Accept-Language: en-GB,en;q=0.9\r
            Connection: keep-alive\r
            \r

            """.utf8)
        // Both buffers are used during their calls only.
        guard unsafe send(socket, request, request.count, 0) == request.count else { fail("sending failed: \(errno)") }
        var reply = [UInt8](repeating: 0, count: 1024)
        let count = unsafe recv(socket, &reply, reply.count, 0)
        guard count > 12, reply[9..<12].elementsEqual("302".utf8) else { fail("\(slug) is answered with no redirect") }
    }

    private static func fail(_ message: String) -> Never {
        print(message)
        exit(1)
    }
}
