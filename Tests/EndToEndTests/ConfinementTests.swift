// The daemon where it may do little: the file system read-only but for its data, as containers and systemd have it.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct ConfinementTests {
    /// Runs what follows in a name space of mounts in which nothing but `$DATA` can be written, /tmp neither.
    private static let readOnlyRoot = """
        set -e
        mount --make-rprivate /
        mount --bind "$DATA" "$DATA"
        mount -o remount,ro,bind /
        if touch /tmp/shorty-writable 2>/dev/null; then echo 'the root is not read-only' >&2; exit 97; fi
        touch "$DATA/probe" && rm "$DATA/probe"
        exec "$@"
        """

    @Test func `with only its data's folder writable everything works`() throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        let words = ["env", "DATA=\(data)", "unshare", "--mount", "sh", "-c", Self.readOnlyRoot, "sh"]
        guard try Program.run(tool: "env", Array(words.dropFirst()) + ["true"], in: folder).isSuccess else {
            try Test.cancel("a name space with a read-only root cannot be made here")
        }
        #expect(unsafe chown(data, 1001, 1001) == 0)
        let user = ["setpriv", "--reuid", "1001", "--regid", "1001", "--clear-groups"]
        let daemon = try TestDaemon(
            ["BACKUP_EVERY": "1h", "BACKUP_DIRECTORY": "\(data)/backups"], folder: folder, database: "\(data)/s.db",
            wrapper: ["/usr/bin/env"] + words.dropFirst() + user)
        #expect(try daemon.add("s", "https://example.com/").outcome == "SUCCESS")
        try daemon.fill(5_000)
        #expect(try daemon.get("/s").status == 302)
        #expect(try daemon.get("/api-getall").text.hasSuffix("\"Status\":\"SUCCESS\"}"))
        let health = try eventually(within: .seconds(60), "the first backup") {
            let health = try daemon.get("/healthz")
            return health.text.contains("lastBackup") ? health : nil
        }
        #expect(health.status == 200 && health.text.contains("\"lastBackup\""), "\(health.text)")
        #expect(try daemon.stop() == .exit(0), "\(daemon.log)")
        #expect(!daemon.log.contains("error"), "\(daemon.log)")
        #expect(try daemon.visits("s") == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(data)/backups").contains { $0.hasSuffix(".db") })
    }

    /// Makes the kernel say EAFNOSUPPORT (97) for IPv6 (family 10), as it does where it was started with ipv6.disable=1: a filter of
    /// seccomp(2) over the number of socket(2) and its first argument, then the program.
    private static let withoutIPv6 = """
        import ctypes, os, platform, struct, sys
        number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
        code = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, 10), (0x06, 0, 0, 0x50000 | 97),
                (0x06, 0, 0, 0x7fff0000)]
        text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
        program = ctypes.create_string_buffer(struct.pack("H6xP", len(code), ctypes.addressof(text)))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
            sys.exit(96)
        os.execv(sys.argv[1], sys.argv[1:])
        """

    @Test func `where IPv6 is off a port without an address serves IPv4`() throws {
        let folder = try TemporaryFolder()
        guard let python = Program.find("python3"),
            try Program.run(tool: "python3", ["-c", Self.withoutIPv6, "/bin/true"], in: folder).isSuccess
        else {
            try Test.cancel("there is no python3 that may set a filter of system calls here")
        }
        let daemon = try TestDaemon(["SERVER_PUBLIC_URL": ""], listen: ":0", wrapper: [python, "-c", Self.withoutIPv6])
        #expect(daemon.log.contains("address=0.0.0.0:\(daemon.port)"))
        #expect(try daemon.get("/healthz").status == 200)
        let health = try Program.run(["health", "--url", "http://localhost:\(daemon.port)"], in: daemon.folder)
        #expect(health.isSuccess, "\(health.errors)")
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]"])
    func `the health check is answered by every name of this machine`(host: String) throws {
        if host == "[::1]", !Place.hasIPv6 { try Test.cancel("no IPv6 here") }
        let daemon = try TestDaemon(listen: ":0")
        let url = "http://\(host):\(daemon.port)"
        #expect(try Program.run(["health", "--url", url], in: daemon.folder).isSuccess)
        let fetched = try Program.run(
            tool: "curl", ["-sS", "--noproxy", "*", "--max-time", "20", "\(url)/healthz"], in: daemon.folder)
        #expect(fetched.output.contains("\"ok\""), "\(fetched.errors)")
    }
}
