// Clients that leave before their answer is made: what is made for them ends soon.
import MemoryStore
import SocketClient
import Testing

@testable import HTTP
@testable import Web

struct AbandonedTests {
    @Test(arguments: ["/api-getall", "/view/list"])
    func `a listing for a client that has left is not made to its end`(path: String) async throws {
        let service = try WebService()
        for index in 0..<2_000 { _ = try await service.add("https://example.com/\(index)", slug: "s\(index)") }
        let before = service.store.reads
        let client = try service.connect()
        let whole = try await client.ask("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(whole.status == 200)
        let pages = service.store.reads - before
        #expect(pages >= 8)
        // Each has asked for ten, one behind the other, and takes nothing.
        for _ in 0..<20 {
            let client = try service.connect()
            await client.send(String(repeating: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", count: 10))
            client.leave()
        }
        // Whoever asks now is served behind what is still being made.
        #expect(try await service.get("/healthz").status == 200)
        var reads = -1
        while reads != service.store.reads {
            reads = service.store.reads
            try await Task.sleep(for: .milliseconds(300))
        }
        // A page or two for each; all of it would have been 200 listings.
        #expect(reads - before <= pages + 20 * 2, "\(reads - before) reads, \(pages) for one listing")
    }

    @Test func `health checks of clients that have left cost no probe each`() async throws {
        let service = try WebService()
        service.store.healthGate.shut()
        for _ in 0..<100 {
            let client = try service.connect()
            await client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Task.sleep(for: .milliseconds(1))
            client.leave()
        }
        service.store.healthGate.open()
        #expect(try await service.get("/healthz").status == 200)
        #expect(service.store.healthGate.count <= 10)
    }
}
