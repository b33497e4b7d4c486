// A store that fails while the daemon runs: what is known is still served, what is not is never called missing, and all is
// well again when the cause is gone.
internal import Foundation
internal import Glibc
internal import Sanitizer
internal import Testing

@Suite(.atTheBench) struct StoreFailureTests {
    /// A small file system of its own. Its test ends where this process may not mount one.
    final class SmallDisk {
        let path: String
        private let folder: TemporaryFolder

        init(_ folder: TemporaryFolder, megabytes: Int) throws {
            self.folder = folder
            path = folder.file("disk")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let mount = try Program.run(
                tool: "mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path], in: folder)
            guard mount.isSuccess else {
                try Test.cancel("a file system of a few megabytes cannot be mounted here: \(mount.errors)")
            }
        }

        deinit { _ = try? Program.run(tool: "umount", ["-l", path], in: folder) }

        /// Takes all the room that is left.
        func fill() throws {
            for size in ["64k", "4k", "512"] {
                _ = try Program.run(tool: "dd", ["if=/dev/zero", "of=\(path)/filler-\(size)", "bs=\(size)"], in: folder)
            }
        }

        func free() throws {
            for size in ["64k", "4k", "512"] { try FileManager.default.removeItem(atPath: "\(path)/filler-\(size)") }
        }
    }

    @Test func `on a full disk redirects go on, adds are refused, and room cures it`() throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(folder, megabytes: 4)
        let daemon = try TestDaemon(
            ["STORE_WRITE_WAIT": "500ms"], folder: folder, database: disk.path + "/s.db")
        var stored: [String] = []
        for index in 0..<20 {
            #expect(try daemon.add("s\(index)", "https://example.com/\(index)").outcome == "SUCCESS")
            stored.append("s\(index)")
        }
        for _ in 0..<2 { #expect(try daemon.get("/s0").status == 302) }
        #expect(try daemon.command("collection", "create", "drafts", "--private").isSuccess)
        let words = "echo correct horse | \(Program.path) user create anna --database \(daemon.database)"
        #expect(try Program.run(tool: "sh", ["-c", words], in: folder).isSuccess)
        let credentials = "Authorization: Basic \(Data("anna:correct horse".utf8).base64EncodedString())"
        for round in 0..<2 {
            try disk.fill()
            // Some adds may still find room in the log's file.
            let refused = try eventually("an add that is refused") {
                let slug = "r\(round)-\(stored.count)"
                let reply = try daemon.add(slug, "https://example.com/" + String(repeating: "x", count: 400))
                if reply.outcome == "SUCCESS" { stored.append(slug) }
                return reply.outcome == "SUCCESS" ? nil : reply
            }
            #expect(refused.status == 507 || refused.status == 503, "\(refused.status) \(refused.text)")
            #expect(refused.outcome == "FAILURE")
            #expect(refused.json?["Message"]?.contains("disk is full") == true)
            #expect(refused["Content-Type"] == "application/json")
            let link = try daemon.get("/add/my_key/full?url=https://example.com/")
            #expect(link.status == 507 || link.status == 503)
            #expect(try daemon.get("/private/drafts.json", [credentials]).status == 200, "signing in writes nothing")
            // Known and unknown to the memory.
            for index in 0..<20 {
                let reply = try daemon.get("/s\(index)")
                #expect(reply.status == 302 || reply.status == 503, "\(reply.status)")
                if index == 0 { #expect(reply.status == 302) }
            }
            // Once for each kind of error, until all has been well for a while.
            let log = try eventually("the log's word") { daemon.log.contains("changes are refused") ? daemon.log : nil }
            #expect(log.components(separatedBy: "disk is full, or a quota").count == 2)
            let health = try daemon.get("/healthz")
            #expect(health.status == 503)
            #expect(health.json?["status"] == "degraded")
            #expect(health.json?["reason"]?.isEmpty == false)
            usleep(1_300_000)
            try disk.free()
            #expect(try daemon.add("after\(round)", "https://example.com/").outcome == "SUCCESS")
            #expect(try daemon.get("/healthz").status == 200)
            #expect(try daemon.get("/full").status == 404)
        }
        for slug in stored { #expect(try daemon.get("/" + slug).status == 302, "\(slug)") }
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.sql("PRAGMA integrity_check") == "ok")
        // Those of the full minutes are kept in memory and stored after.
        #expect(try daemon.visits("s0") == 5)
    }

    @Test(.disabled(if: Sanitizer.isOn, "ThreadSanitizer keeps a file of its own in that folder"))
    func `with a full folder for temporary files all goes on`() throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(folder, megabytes: 1)
        try disk.fill()
        let daemon = try TestDaemon(folder: folder, wrapper: ["/usr/bin/env", "TMPDIR=\(disk.path)"])
        for index in 0..<50 { #expect(try daemon.add("s\(index)", "https://example.com/").outcome == "SUCCESS") }
        #expect(try daemon.get("/s7").status == 302)
        #expect(try daemon.get("/view/list").status == 200)
        #expect(try daemon.get("/healthz").status == 200)
        #expect(try daemon.command("backup", folder.file("backup.db")).isSuccess)
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.visits("s7") == 1)
    }

    @Test func `a damaged file is 503, never 404`() throws {
        let daemon = try TestDaemon(["STORE_WRITE_WAIT": "300ms"])
        try daemon.fill(20_000)
        try daemon.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try daemon.get("/l1").status == 302)
        #expect(try daemon.get("/l1").status == 302)
        let size = try #require(FileManager.default.attributesOfItem(atPath: daemon.database)[.size] as? Int)
        let file = try FileHandle(forWritingTo: URL(filePath: daemon.database))
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0xa5, count: size - 4_096))
        try file.close()
        #expect(try daemon.get("/l1").status == 302)
        var failed = 0
        for index in stride(from: 5, to: 20_000, by: 997) {
            let reply = try daemon.get("/l\(index)")
            #expect(reply.status == 302 || reply.status == 503, "\(reply.status)")
            if reply.status == 503 {
                failed += 1
                #expect(reply["Cache-Control"] == "no-store")
                #expect(reply["Retry-After"] != nil)
            }
            // A second time: a failure must not be remembered as an absence.
            #expect(try daemon.get("/l\(index)").status != 404)
        }
        #expect(failed > 0)
        #expect(try daemon.add("s", "https://example.com/").outcome == "FAILURE")
        #expect(try daemon.get("/healthz").status == 503)
        #expect(try daemon.post(form: "url_slug=l7", to: "/api-get").status >= 500)
        #expect(daemon.child.poll() == nil)
        _ = try daemon.stop()
        #expect(daemon.log.contains("links cannot be looked up") && daemon.log.contains("\(daemon.database) is damaged"))
    }

    @Test func `a truncated file is 503, never 404`() throws {
        let daemon = try TestDaemon(["STORE_WRITE_WAIT": "300ms"])
        try daemon.fill(20_000)
        try daemon.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(unsafe truncate(daemon.database, 0) == 0)
        for index in stride(from: 5, to: 20_000, by: 1_997) {
            let reply = try daemon.get("/l\(index)")
            #expect(reply.status == 302 || reply.status == 503, "\(reply.status)")
        }
        #expect(daemon.child.poll() == nil)
    }

    @Test func `a folder or file that cannot be written stops the start with its name and the user`() throws {
        guard getuid() == 0, let tool = Program.find("setpriv") else {
            try Test.cancel("only root can become another user")
        }
        let folder = try TemporaryFolder()
        #expect(unsafe chmod(folder.path, 0o755) == 0)
        let file = folder.file("s.db")
        let words = ["--reuid", "65534", "--clear-groups", Program.path, "serve", "--listen", "127.0.0.1:0", "--database"]
        let inside = try Program.run(tool: tool.components(separatedBy: "/").last ?? tool, words + [file], in: folder)
        #expect(inside.ending == .exit(1))
        #expect(inside.errors.contains(file) || inside.errors.contains(folder.path))
        #expect(inside.errors.contains("65534"))
        // A writable file is not enough: its log stands beside it.
        _ = try Program.run(["key", "create", "--name", "a", "--database", file], in: folder)
        #expect(unsafe chmod(file, 0o666) == 0)
        let beside = try Program.run(tool: "setpriv", words + [file], in: folder)
        #expect(beside.ending == .exit(1))
        #expect(beside.errors.contains(folder.path))
        #expect(beside.errors.contains("65534"))
    }
}
