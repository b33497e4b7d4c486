import SocketClient
import Testing

@testable import HTTP

struct ClientCensusTests {
    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    @Test func `a client has its places and no more, and gets back what it leaves`() throws {
        let census = ClientCensus(limit: 2, exempting: TrustedProxies([]))
        let one = try address("192.0.2.1")
        for _ in 0..<2 { #expect(census.admit(one) == .counted(one)) }
        #expect(census.admit(one) == .refused)
        #expect(try census.admit(address("192.0.2.2")) == .counted(address("192.0.2.2")))
        census.leave(one)
        #expect(census.admit(one) == .counted(one))
        #expect(census.admit(one) == .refused)
    }

    @Test func `a site of IPv6 is one client`() throws {
        let census = ClientCensus(limit: 1, exempting: TrustedProxies([]))
        #expect(try census.admit(address("2001:db8::1")) != .refused)
        #expect(try census.admit(address("2001:db8::2")) == .refused)
        #expect(try census.admit(address("2001:db8:0:1::1")) != .refused)
    }

    @Test func `trusted proxies and local sockets are not counted`() throws {
        let census = ClientCensus(limit: 1, exempting: TrustedProxies(["10.0.0.0/8"].compactMap { Network($0) }))
        for _ in 0..<3 {
            #expect(try census.admit(address("10.1.2.3")) == .exempt)
            #expect(census.admit(.local) == .exempt)
        }
        #expect(census.clients == 0)
    }

    @Test func `who has left is forgotten`() throws {
        let census = ClientCensus(limit: 3, exempting: TrustedProxies([]))
        var sites: [ClientAddress] = []
        for number in 0..<600 {
            if case .counted(let site) = try census.admit(address("192.0.2.\(number % 200)")) { sites.append(site) }
        }
        #expect(sites.count == 600 && census.clients == 200)
        for site in sites { census.leave(site) }
        #expect(census.clients == 0)
        census.leave(try address("192.0.2.1"))
        #expect(census.clients == 0)
    }

    // MARK: Over sockets

    private static func server(_ limit: Int, trusting: [String] = [], hasPreface: Bool = false) throws -> TestServer {
        var options = ServerOptions(limits: .patient)
        options.limits.connectionsPerClient = limit
        options.proxies = TrustedProxies(trusting.compactMap { Network($0) })
        return try TestServer(options: options, hasPreface: hasPreface, loops: 3) { _, answer in answer.send(plain("x")) }
    }

    @Test func `one connection more of a client is answered 503, over all loops, and a place that becomes free is used`()
        async throws
    {
        let server = try Self.server(4)
        var clients: [SocketClient] = []
        for _ in 0..<4 {
            clients.append(try server.connect())
            #expect(try await clients[clients.count - 1].ask(get("/")).text == "x")
        }
        for _ in 0..<5 {
            let extra = try server.connect()
            let refusal = try await extra.reply()
            #expect(refusal.status == 503 && refusal["Retry-After"] == "1" && refusal["Connection"] == "close")
            #expect(refusal["Date"] != nil)
            #expect(await extra.ending() != .open)
        }
        for client in clients { #expect(try await client.ask(get("/")).text == "x") }
        clients.removeLast().leave()
        var status = 0
        for _ in 0..<200 where status != 200 {
            status = (try? await server.connect().ask(get("/", "Connection: close")).status) ?? 0
            if status != 200 { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(status == 200)
    }

    @Test func `a thousand that come and go, in order or not, leave every place free`() async throws {
        let server = try Self.server(5)
        var served = 0
        for round in 0..<1000 {
            let client = try server.connect()
            if round % 2 == 0 {
                // On a busy machine those before it may not have been let go of yet.
                if try await client.ask(get("/", "Connection: close")).status == 200 { served += 1 }
            } else {
                await client.send("GET / HT")
                client.leave()
            }
        }
        #expect(served > 50)
        var clients: [SocketClient] = []
        for _ in 0..<1000 where clients.count < 5 {
            let client = try server.connect()
            if (try? await client.ask(get("/")).status) == 200 {
                clients.append(client)
            } else {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(clients.count == 5)
    }

    @Test func `a trusted proxy brings as many as it likes, whoever they are for`() async throws {
        let plain = try Self.server(1, trusting: ["127.0.0.1"])
        let preface = try Self.server(1, trusting: ["127.0.0.1"], hasPreface: true)
        var clients: [SocketClient] = []
        for _ in 0..<5 {
            clients.append(try plain.connect())
            #expect(try await clients[clients.count - 1].ask(get("/")).status == 200)
            clients.append(try preface.connect())
            let header = "PROXY TCP4 192.0.2.7 198.51.100.1 51234 443\r\n"
            #expect(try await clients[clients.count - 1].ask(header + get("/")).status == 200)
        }
    }
}
