// A server with one secure and one plain listener and a small site.
import Dispatch
import Glibc
import Synchronization
import Telemetry

@testable import HTTP

/// A running server; stopped with its last reference.
final class SecureServer: Sendable {
    let port: UInt16
    let plainPort: UInt16
    let certificates: CertificateWatch
    let log: LogFile
    /// Turns that its loops have made.
    let turns = TurnCounter()
    private let server: Server

    /// Serves with these certificates, or with one for s.example; behind proxies of this machine, where it is, by the PROXY
    /// protocol. Blocks.
    init(
        _ files: [CertificateFiles]? = nil, limits: Limits = Limits(), loops: Int = 1, minimumVersion: TLSVersion = .tls12,
        lookEvery period: Duration = .seconds(60), strictTransport: String = "",
        isBehindProxy: Bool = false, proxies: [String] = ["127.0.0.1"]
    ) throws {
        let files = try files ?? [TestAuthority.shared.get().issue()]
        let secure = try Listener(.address(host: "127.0.0.1", port: 0), isSecure: true, hasPreface: isBehindProxy)
        let plain = try Listener(.address(host: "127.0.0.1", port: 0))
        (port, plainPort) = (secure.port, plain.port)
        log = try LogFile()
        certificates = try CertificateWatch(files, minimumVersion: minimumVersion, log: log.log, lookEvery: period)
        var options = ServerOptions(limits: limits)
        options.security.certificates = certificates
        options.security.strictTransport = strictTransport
        if isBehindProxy { options.proxies = TrustedProxies(proxies.compactMap { Network($0) }) }
        server = try Server(listeners: [secure, plain], loops: loops, options: options, log: log.log)
        server.start { [turns] _ in SmallSite(turns) }
    }

    deinit {
        // Waits for the loops, so not on a thread of the tests.
        DispatchQueue(label: "test.server.stop").async { [server] in server.stop(within: .zero) }
    }
}

/// A log that a test can read.
final class LogFile: Sendable {
    let log: Log
    private let descriptor: Int32

    init() throws {
        var name = Array("/tmp/shorty-log-XXXXXX".utf8CString)
        descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw TestFault("mkstemp: errno \(errno)") }
        // Without its name it is gone when it is closed.
        unsafe unlink(name)
        log = Log(level: .debug, descriptor: descriptor)
    }

    deinit { close(descriptor) }

    /// Everything written so far. Blocks.
    var text: String {
        log.flush()
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// Counts turns of loops.
final class TurnCounter: Sendable {
    private let turns = Atomic<Int>(0)

    var count: Int { turns.load(ordering: .relaxed) }

    func add() { turns.add(1, ordering: .relaxed) }
}

/// `/r` redirects, `/later` answers by ticket, `/late` so two seconds later, `/client` says who asks, `/stream` streams `SmallSite.streamed`, anything else answers with its content
/// and whether it came by TLS.
final class SmallSite: RequestHandler {
    private let turns: TurnCounter

    init(_ turns: TurnCounter) { self.turns = turns }

    private let redirect = PreparedRedirect(status: .found, cacheControl: "no-store")

    /// 4 MiB that no two pieces of are alike.
    static let streamed = (0..<64).map { piece in
        (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ piece) }
    }

    func bodyPolicy(for request: borrowing Request) -> BodyPolicy { .gather }

    func handle(_ request: borrowing Request, _ answer: inout Answer) {
        switch String(decodingUTF8: request.path) {
        case "/r": answer.send(redirect, location: "https://example.com/there".utf8Span.span)
        case "/later":
            let ticket = answer.later()
            let query = String(decodingUTF8: request.query)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
                ticket.answer(Response(.ok, type: "text/plain", "later \(query)"))
            }
        case "/late":
            let ticket = answer.later()
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) {
                ticket.answer(Response(.ok, type: "text/plain", "late"))
            }
        case "/client": answer.send(Response(.ok, type: "text/plain", request.client.text))
        case "/stream": answer.send(Response(.ok, type: "application/octet-stream", content: .stream(Pieces())))
        default:
            let text = (request.isSecure ? "secure " : "plain ") + String(decodingUTF8: request.body)
            answer.send(Response(.ok, type: "text/plain", text))
        }
    }

    func expect(_ path: Span<UInt8>) {}
    func turnEnded() { turns.add() }

    private final class Pieces: BodySource {
        private let index = Atomic<Int>(0)

        func next(_ done: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void) {
            let index = index.add(1, ordering: .relaxed).oldValue
            let piece = index < SmallSite.streamed.count ? SmallSite.streamed[index] : nil
            DispatchQueue.global().async { done(.success(piece)) }
        }
    }
}
