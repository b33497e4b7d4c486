import Foundation
import SocketClient
import Synchronization
import Telemetry
import Testing

@testable import HTTP

/// New certificates come into force without anybody noticing but by the certificate.
struct ReloadTests {
    /// A pair of files whose content is exchanged by a test.
    private struct Place: Sendable {
        let files: CertificateFiles

        init() throws {
            let path = { (name: String) throws in
                try TestAuthority.shared.get().folder.appendingPathComponent("\(UUID().uuidString).\(name)").path
            }
            files = CertificateFiles(certificate: try path("pem"), key: try path("key"))
        }

        /// Puts copies of other files there, each at one blow, as renewing programs do.
        func put(_ other: CertificateFiles) throws {
            for (from, to) in [(other.certificate, files.certificate), (other.key, files.key)] {
                try? FileManager.default.removeItem(atPath: to + ".new")
                try FileManager.default.copyItem(atPath: from, toPath: to + ".new")
                guard unsafe rename(to + ".new", to) == 0 else { throw TestFault("rename: errno \(errno)") }
            }
        }
    }

    /// Waits until the log has said something so often; false if it does not within ten seconds.
    private static func says(_ log: LogFile, _ text: String, times: Int = 1) -> Bool {
        for _ in 0..<200 {
            if log.text.components(separatedBy: text).count > times { return true }
            usleep(50_000)
        }
        return false
    }

    @Test func `under load no request fails, and old and new connections go on`() async throws {
        let (server, place, pairs) = try await offThread {
            let place = try Place()
            let pairs = try (0..<4).map { _ in try TestAuthority.shared.get().issue() }
            try place.put(pairs[0])
            return (try SecureServer([place.files], loops: 2), place, pairs)
        }
        let load = Load(port: server.port)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<6 { group.addTask { try await offThread { try load.run(keeps: index < 2) } } }
            group.addTask {
                try await offThread {
                    defer { load.isOver.store(true, ordering: .relaxed) }
                    for round in 1...12 {
                        try place.put(pairs[round % 4])
                        server.certificates.reload()
                        #expect(Self.says(server.log, "certificates are read", times: round))
                        usleep(100_000)
                    }
                }
            }
            try await group.waitForAll()
        }
        let (answered, failed) = (load.answered.load(ordering: .relaxed), load.failed.load(ordering: .relaxed))
        #expect(failed == 0 && answered > 20, "\(failed) failed of \(answered)")
        #expect(load.serials == 4)
    }

    @Test func `a changed file is noticed, and a bad one changes nothing but the log`() async throws {
        try await offThread {
            let place = try Place()
            let authority = try TestAuthority.shared.get()
            let (one, other) = (try authority.issue(), try authority.issue())
            try place.put(one)
            let server = try SecureServer([place.files], lookEvery: .milliseconds(100))
            let kept = try SecureClient.open(server.port)
            #expect(try kept.ask(get("/")).status == 200)

            try place.put(CertificateFiles(certificate: one.certificate, key: other.key))
            #expect(Self.says(server.log, "the certificates stay as they were: \(place.files.key) does not belong to"))
            #expect(try SecureClient.open(server.port).serial == kept.serial)

            try place.put(other)
            #expect(Self.says(server.log, "certificates are read"))
            let fresh = try SecureClient.open(server.port)
            #expect(fresh.serial != kept.serial)

            try FileManager.default.removeItem(atPath: place.files.certificate)
            #expect(Self.says(server.log, "\(place.files.certificate) cannot be read: No such file"))
            #expect(try SecureClient.open(server.port).serial == fresh.serial)
            // The same bad file is told of once.
            usleep(500_000)
            #expect(server.log.text.components(separatedBy: "cannot be read").count == 2)
            #expect(try kept.ask(get("/")).status == 200)
        }
    }

    @Test func `a ticket from before is no hindrance`() async throws {
        try await offThread {
            let server = try SecureServer()
            let client = try SecureClient.open(server.port)
            _ = try client.ask(get("/"))
            let session = try #require(client.session)
            server.certificates.reload()
            #expect(Self.says(server.log, "certificates are read"))
            let next = try SecureClient.open(server.port, .init(session: session))
            // The new context has new ticket keys.
            #expect(!next.isResumed)
            #expect(try next.ask(get("/")).status == 200)
        }
    }

    /// Requests one after another from many threads, and what became of them.
    private final class Load: Sendable {
        let isOver = Atomic<Bool>(false)
        let answered = Atomic<Int>(0)
        let failed = Atomic<Int>(0)
        private let seen = Lock<Set<String>>([])
        private let port: UInt16

        init(port: UInt16) { self.port = port }

        /// Different certificates that were met.
        var serials: Int { seen.withLock { $0.count } }

        /// Asks over one connection, or over a new one each time, until it is over.
        func run(keeps: Bool) throws {
            let kept = try SecureClient.open(port)
            while !isOver.load(ordering: .relaxed) {
                do {
                    let client = keeps ? kept : try SecureClient.open(port)
                    guard try client.ask(get("/r")).status == 302 else { throw TestFault("another answer") }
                    answered.add(1, ordering: .relaxed)
                    let serial = client.serial
                    seen.withLock { _ = $0.insert(serial) }
                } catch {
                    failed.add(1, ordering: .relaxed)
                    throw error
                }
            }
            // The connection from before all reloads is still the same one.
            #expect(try kept.ask(get("/r")).status == 302)
        }
    }
}
