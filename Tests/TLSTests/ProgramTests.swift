import Foundation
import HTTP
import SocketClient
import Sanitizer
import Testing

/// The program with TLS, asked by other people's clients.
struct ProgramTests {
    private static let authority = Result { try TestAuthority.shared.get() }

    private struct Curl {
        let port: UInt16

        /// Runs curl against s.example at the port; what it wrote, with status and protocol behind it.
        func callAsFunction(_ words: String...) throws -> Outcome {
            try Outcome(
                ["curl", "-sS", "--max-time", "20", "--cacert", authority.get().certificate, "--noproxy", "*"]
                    + ["s.example", "other.example"].flatMap { ["--resolve", "\($0):\(port):127.0.0.1"] }
                    + ["-w", " %{http_code} %{http_version} %{ssl_verify_result} %{redirect_url}"] + words)
        }
    }

    private static func daemon(_ server: String = "", plain: Bool = false) throws -> DaemonProcess {
        let files = [try authority.get().issue(), try authority.get().issue(.init(names: ["other.example"]))]
        return try DaemonProcess(
            listen: ["tls:127.0.0.1:0"] + (plain ? ["127.0.0.1:0"] : []), tlsSettings(files, server))
    }

    @Test func `curl adds and follows over TLS 1.2 and 1.3, by either name`() async throws {
        try await offThread {
            let daemon = try Self.daemon()
            let curl = Curl(port: daemon.ports[0])
            let add = try curl(
                "https://s.example:\(daemon.ports[0])/api-add", "-d", "key=secret-key", "-d", "url_slug=talk", "-d",
                "url=https://example.com/slides")
            #expect(add.output == #"{"Status":"SUCCESS"} 201 1.1 0 "#, "\(add)")
            for (host, version) in [("s.example", "1.2"), ("s.example", "1.3"), ("other.example", "1.3")] {
                let followed = try curl(
                    "https://\(host):\(daemon.ports[0])/talk", "--tlsv\(version)", "--tls-max", version)
                #expect(followed.output == " 302 1.1 0 https://example.com/slides", "\(followed)")
            }
            let old = try curl(
                "https://s.example:\(daemon.ports[0])/talk", "--tlsv1.0", "--tls-max", "1.1", "--ciphers",
                "DEFAULT@SECLEVEL=0")
            #expect(old.code == 35 && old.errors.contains("protocol version"), "\(old)")
            // Nobody is fooled by a name without a certificate.
            #expect(
                try curl(
                    "https://unknown.example:\(daemon.ports[0])/", "--resolve",
                    "unknown.example:\(daemon.ports[0]):127.0.0.1"
                )
                .code == 60)
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `openssl s_client resumes its session`(version: String) async throws {
        try await offThread {
            let daemon = try Self.daemon()
            let file = daemon.folder.appendingPathComponent("session").path
            let ask = { (words: [String]) in
                try Outcome(
                    [
                        "timeout", "20", "openssl", "s_client", "-connect", "127.0.0.1:\(daemon.ports[0])", "-servername",
                        "s.example", "-CAfile", try Self.authority.get().certificate, "-verify_return_error", version,
                        "-ign_eof", "-alpn", "h2,http/1.1",
                    ] + words, input: get("/", "Connection: close"))
            }
            let first = try ask(["-sess_out", file])
            #expect(first.output.contains("New, TLSv1") && first.output.contains("ALPN protocol: http/1.1"), "\(first)")
            #expect(first.output.contains("HTTP/1.1 200 OK") && first.output.contains("Verification: OK"))
            #expect(first.output.contains("Compression: NONE"))
            let second = try ask(["-sess_in", file])
            #expect(second.output.contains("Reused, TLSv1") && second.output.contains("HTTP/1.1 200 OK"), "\(second)")
        }
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func `openssl s_client is refused with an old version`(version: String) async throws {
        try await offThread {
            let daemon = try Self.daemon()
            let outcome = try Outcome([
                "timeout", "20", "openssl", "s_client", "-connect", "127.0.0.1:\(daemon.ports[0])", version, "-cipher",
                "ALL:@SECLEVEL=0",
            ])
            #expect(outcome.errors.contains("alert protocol version"), "\(outcome)")
        }
    }

    @Test func `plain connections are sent to https, to no host but our own`() async throws {
        try await offThread {
            let daemon = try Self.daemon(
                #""public-url": "https://s.example", "https-redirect": true, "strict-transport-security": "max-age=300""#,
                plain: true)
            let (secure, port) = (daemon.ports[0], daemon.ports[1])
            let ask = { (request: String) in try PlainAsk(port: port, request).reply }
            for (host, location) in [
                ("s.example", "https://s.example/a/b?c=%20d"),
                ("other.example:\(port)", "https://other.example/a/b?c=%20d"),
                ("evil.example", "https://s.example/a/b?c=%20d"),
                ("s.example.evil.example", "https://s.example/a/b?c=%20d"),
                ("[::1]:\(port)", "https://s.example/a/b?c=%20d"), ("127.0.0.1", "https://s.example/a/b?c=%20d"),
            ] {
                let reply = try ask("GET /a/b?c=%20d HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(reply.status == 301 && reply["location"] == location, "\(host)")
                #expect(reply["strict-transport-security"] == nil)
            }
            let post = try ask("POST /api-add HTTP/1.1\r\nHost: s.example\r\nContent-Length: 3\r\n\r\nkey")
            #expect(post.status == 308 && post["location"] == "https://s.example/api-add")
            let double = try ask("GET //evil.example/x HTTP/1.1\r\nHost: s.example\r\n\r\n")
            #expect(double["location"] == "https://s.example//evil.example/x")
            #expect(
                try ask("GET http://evil.example HTTP/1.1\r\nHost: evil.example\r\n\r\n")["location"]
                    == "https://s.example/")
            #expect(try ask("GET /healthz HTTP/1.1\r\nHost: s.example\r\n\r\n").status == 200)

            let client = try SecureClient.open(secure)
            let reply = try client.ask(get("/"))
            #expect(reply.status == 200 && reply["strict-transport-security"] == "max-age=300")
            _ = try client.ask(
                "POST /api-add HTTP/1.1\r\nHost: s.example\r\nContent-Length: 52\r\n\r\nkey=secret-key&url_slug=a&url=https://example.com/12"
            )
            #expect(try client.ask(get("/a"))["strict-transport-security"] == "max-age=300")
        }
    }

    @Test func `SIGHUP reads the certificates again`() async throws {
        try await offThread {
            let authority = try Self.authority.get()
            let (one, other) = (try authority.issue(), try authority.issue())
            let daemon = try DaemonProcess(listen: ["tls:127.0.0.1:0"], tlsSettings([one]))
            let kept = try SecureClient.open(daemon.ports[0])
            for (from, to) in [(other.certificate, one.certificate), (other.key, one.key)] {
                try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to))
            }
            daemon.signal(SIGHUP)
            #expect(daemon.says("certificates are read"))
            #expect(try SecureClient.open(daemon.ports[0]).serial != kept.serial)
            #expect(try kept.ask(get("/healthz")).status == 200)
            try "nonsense".write(toFile: one.certificate, atomically: false, encoding: .utf8)
            daemon.signal(SIGHUP)
            #expect(daemon.says("the certificates stay as they were: \(one.certificate) holds no certificate"))
            #expect(try SecureClient.open(daemon.ports[0]).ask(get("/healthz")).status == 200)
        }
    }

    @Test(.disabled(if: Sanitizer.isOn, "a sanitizer's memory would be counted"))
    func `a thousand handshakes leave nothing behind`() async throws {
        try await offThread {
            let daemon = try Self.daemon()
            let shake = { (count: Int) in
                for index in 0..<count {
                    // Some whole, some cut off, some without a word.
                    let client = try SecureClient(port: daemon.ports[0])
                    if index % 10 == 9 { continue }
                    try client.handshake()
                    if index % 10 == 8 { client.leave() } else { #expect(try client.ask(get("/healthz")).status == 200) }
                }
            }
            try shake(300)
            usleep(300_000)
            let (descriptors, memory) = (daemon.descriptors, daemon.memory)
            try shake(1_000)
            usleep(300_000)
            #expect(abs(daemon.descriptors - descriptors) <= 2, "\(daemon.descriptors) after \(descriptors)")
            #expect(daemon.memory - memory < 1_024, "\(daemon.memory) KiB after \(memory)")
        }
    }

    @Test func `the program says what is wrong with a certificate, at its start and when asked`() async throws {
        try await offThread {
            let authority = try Self.authority.get()
            let expired = try authority.issue(.init(from: -10, to: -3))
            let mixed = CertificateFiles(certificate: try authority.issue().certificate, key: try authority.issue().key)
            let file = try authority.write(
                "{ \(tlsSettings([expired, mixed], #"listen: ["tls:127.0.0.1:0"]"#)) }", to: "bad.json5")
            let check = try Outcome([DaemonProcess.program("shorty"), "check-config", "--config", file])
            #expect(check.code == 1 && check.output.isEmpty)
            #expect(check.errors.contains("shorty: \(expired.certificate) expired on 20"), "\(check)")
            #expect(check.errors.contains("shorty: \(mixed.key) does not belong to \(mixed.certificate)"), "\(check)")
            let serve = try Outcome([
                "timeout", "20", DaemonProcess.program("shorty"), "serve", "--config", file, "--database", "/nowhere/x.db",
            ])
            #expect(serve.code == 1 && serve.errors.contains("error \(expired.certificate) expired on 20"), "\(serve)")

            let good = try authority.write("{ \(tlsSettings([try authority.issue()])) }", to: "good.json5")
            let fine = try Outcome([DaemonProcess.program("shorty"), "check-config", "--config", good])
            #expect(fine.code == 0 && fine.errors.isEmpty && fine.output.contains("tls.certificate"), "\(fine)")
        }
    }

    @Test func `shorty health asks by TLS where that is spoken`() async throws {
        try await offThread {
            let daemon = try Self.daemon(plain: true)
            let health = { (words: [String]) in
                try Outcome([DaemonProcess.program("shorty"), "health"] + words, environment: ["PATH": "/usr/bin:/bin"])
            }
            let port = daemon.ports[0]
            let asked = try health(["--url", "https://127.0.0.1:\(port)"])
            #expect(asked.code == 0 && asked.output == "127.0.0.1:\(port) is healthy\n", "\(asked)")
            let settings = try Outcome(
                [DaemonProcess.program("shorty"), "health"],
                environment: [
                    "PATH": "/usr/bin:/bin", "SHORTY_SERVER_LISTEN": "tls:127.0.0.1:\(port)",
                    "SHORTY_TLS_CERTIFICATE": "x", "SHORTY_TLS_KEY": "x",
                ])
            #expect(settings.code == 0, "\(settings)")
            let plain = try health(["--url", "https://127.0.0.1:\(daemon.ports[1])"])
            #expect(plain.code == 1 && plain.errors.contains("does not speak TLS"), "\(plain)")
            #expect(
                try health(["--url", "http://127.0.0.1:\(port)"]).errors.contains("answers 400: This port speaks HTTPS"))
        }
    }

    /// URLSession on Linux trusts the system's bundle alone, so it runs where the authority is mounted over that: in a mount
    /// namespace, which needs privileges that a container may not give.
    @Test(
        .enabled(
            if: Outcome.isGood("unshare", "-m", "mount", "--bind", "/dev/null", URLSessionBundle.path),
            "unshare(1) and mount(8) are not permitted here"))
    func `URLSession and SqueezeKit work over TLS`() async throws {
        try await offThread {
            let daemon = try Self.daemon(#""public-url": "https://localhost""#)
            let localhost = try Self.authority.get().issue(.init(names: ["localhost"]))
            let own = try DaemonProcess(listen: ["tls:127.0.0.1:0"], tlsSettings([localhost]))
            let squeeze = { (port: UInt16, bundle: String) in
                try Outcome(
                    [
                        "unshare", "-m", "sh", "-c", #"mount --bind "$1" "$2" && shift 2 && exec "$@""#, "sh", bundle,
                        URLSessionBundle.path, DaemonProcess.program("squeeze"), "--server", "https://localhost:\(port)",
                        "https://example.com/by-urlsession",
                    ], environment: ["SQUEEZE_KEY": "secret-key", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"])
            }
            let authority = try Self.authority.get().certificate
            let good = try squeeze(own.ports[0], authority)
            #expect(good.code == 0 && good.output.hasPrefix("https://127.0.0.1:\(own.ports[0])/"), "\(good)")
            // Without the authority, and with a certificate for another name, it must not.
            #expect(try squeeze(own.ports[0], "/dev/null").code == 1)
            #expect(try squeeze(daemon.ports[0], authority).code == 1)
        }
    }
}

/// The file of authorities that URLSession reads: Debian's, as a build of Foundation has it.
enum URLSessionBundle { static let path = "/etc/ssl/certs/ca-certificates.crt" }

/// One plain request and its answer. Blocks.
struct PlainAsk {
    let reply: Reply

    init(port: UInt16, _ request: String) throws {
        let outcome = try Outcome(
            ["timeout", "10", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat >&3; cat <&3"],
            input: request.replacingOccurrences(of: "Host:", with: "Connection: close\r\nHost:"))
        guard let (reply, _) = try Reply.read(Array(outcome.output.utf8), toHead: false, isEnd: true) else {
            throw TestFault("no answer")
        }
        self.reply = reply
    }
}
