// `shorty health` against daemons that are well, unwell, silent and gone.
import Dispatch
import Glibc
import Telemetry
import Testing

@testable import Shorty

struct HealthTests {
    @Test func `a healthy daemon is healthy`() throws {
        let server = try OneAnswerServer("HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"status\":\"ok\"}\n")
        let outcome = try Rehearsal().run("health", "--url", "http://127.0.0.1:\(server.port)")
        #expect(outcome.code == 0 && outcome.output == "127.0.0.1:\(server.port) is healthy\n" && outcome.errors.isEmpty)
        #expect(server.request.hasPrefix("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
    }

    @Test(arguments: [
        (
            #"{"status":"ok","lastBackup":{"time":"t","file":null,"error":"The disk is \"full\".\n"}}"#,
            #", but its last backup failed: The disk is "full"."#
        ),
        (#"{"status":"ok","lastBackup":{"time":"t","file":"f","error":null}}"#, ""),
        (#"{"lastBackup":null,"error":"x"}"#, ""), (#"{"lastBackup":{"error":"cut"#, ""), ("[]", ""),
    ])
    func `a backup that failed is told, and is no failure`(content: String, words: String) throws {
        let server = try OneAnswerServer("HTTP/1.1 200 OK\r\n\r\n\(content)\n")
        let outcome = try Rehearsal().run("health", "--url", "http://127.0.0.1:\(server.port)")
        #expect(outcome.code == 0 && outcome.output == "127.0.0.1:\(server.port) is healthy\(words)\n")
    }

    @Test func `the first listening address is asked, by a name that can be reached`() throws {
        let server = try OneAnswerServer("HTTP/1.1 200 OK\r\n\r\n")
        for address in [":\(server.port)", "0.0.0.0:\(server.port)", "127.0.0.1:\(server.port),[::1]:1"] {
            #expect(try Rehearsal().run("health", environment: ["SHORTY_SERVER_LISTEN": address]).code == 0)
        }
    }

    @Test func `an unwell daemon's reason is passed on`() throws {
        let server = try OneAnswerServer("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 9\r\n\r\n{\"a\":\u{1B}\n}")
        let outcome = try Rehearsal().run("health", "--url", "http://127.0.0.1:\(server.port)/")
        #expect(outcome.code == 1 && outcome.errors == "shorty: 127.0.0.1:\(server.port) answers 503: {\"a\":  }.\n")
    }

    @Test(arguments: [("SSH-2.0-x\r\n", "does not speak HTTP"), ("", "closed the connection without an answer")])
    func `something else is not healthy`(answer: String, reason: String) throws {
        let server = try OneAnswerServer(answer)
        let outcome = try Rehearsal().run("health", "--url", "http://127.0.0.1:\(server.port)")
        #expect(outcome.code == 1 && outcome.errors == "shorty: 127.0.0.1:\(server.port) \(reason).\n")
    }

    @Test func `a silent daemon is given up after 2 seconds`() throws {
        let server = try OneAnswerServer(nil)
        let start = ContinuousClock.now
        let outcome = try Rehearsal().run("health", "--url", "http://127.0.0.1:\(server.port)")
        #expect(outcome.code == 1 && outcome.errors.contains("does not answer in time"))
        let time = ContinuousClock.now - start
        #expect(time > .seconds(1.9) && time < .seconds(10))
    }

    @Test func `nobody listening is not healthy`() throws {
        let outcome = try Rehearsal().run("health", "--url", "http://127.0.0.1:1")
        #expect(outcome.code == 1 && outcome.errors == "shorty: 127.0.0.1:1 cannot be reached: Connection refused.\n")
        #expect(try Rehearsal().run("health", "--url", "unix:/nowhere/s").errors.contains("No such file"))
        #expect(try Rehearsal().run("health", environment: ["SHORTY_SERVER_LISTEN": "127.0.0.1:0"]).code == 1)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", ProbeTarget.tcp(host: "127.0.0.1", port: 8080)),
        ("http://localhost", .tcp(host: "localhost", port: 80)),
        ("http://[::1]:81/", .tcp(host: "::1", port: 81)), ("http://[::1]", .tcp(host: "::1", port: 80)),
        ("unix:/s", .local(path: "/s")),
        ("https://127.0.0.1", .tcp(host: "127.0.0.1", port: 443, isSecure: true)), ("127.0.0.1:80", nil),
        ("http://h/healthz", nil), ("", nil),
    ])
    func `a URL names where to ask`(url: String, target: ProbeTarget?) {
        #expect(HealthCommand.target(of: url) == target)
    }
}

/// Accepts connections on a free port, one after the other, reads once, and gives each the same answer, or none.
private final class OneAnswerServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let received = Lock("")

    var request: String { received.withLock { $0 } }

    init(_ answer: String?) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        DispatchQueue(label: "server").async { [received] in
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0 { return }
                var chunk = [UInt8](repeating: 0, count: 1_024)
                let count = max(0, unsafe recv(connection, &chunk, chunk.count, 0))
                received.withLock { $0 = String(decoding: chunk[..<count], as: UTF8.self) }
                if let answer {
                    _ = unsafe Array(answer.utf8).withUnsafeBytes {
                        unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    close(connection)
                }
            }
        }
    }

    deinit {
        // Wakes the thread that waits in accept(2).
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
