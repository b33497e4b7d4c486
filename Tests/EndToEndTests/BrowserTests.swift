// A real browser on a short link. Only where chromium is installed: it is large, and nothing else needs it.
internal import Foundation
internal import Testing

@Suite(.atTheBench) struct BrowserTests {
    @Test func `a browser that follows a short URL lands on the long one`() throws {
        guard Program.find("chromium") != nil else {
            try Test.cancel("chromium is not installed")
        }
        let daemon = try TestDaemon()
        let base = "http://127.0.0.1:\(daemon.port)"
        #expect(try daemon.add("list", "\(base)/view/list?from=b%C3%BCcher").outcome == "SUCCESS")
        func page(_ url: String) throws -> String {
            let outcome = try Program.run(
                tool: "chromium",
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                    "--user-data-dir=\(daemon.folder.file("profile"))", "--virtual-time-budget=2000", "--dump-dom", url,
                ], in: daemon.folder)
            #expect(outcome.isSuccess, "\(outcome.errors)")
            return outcome.output
        }
        let list = try page("\(base)/list")
        #expect(list.contains("<h1>Links</h1>"))
        #expect(list.contains("\(base)/view/list?from=b%C3%BCcher"))
        #expect(try page("\(base)/none").contains("Not found"))
        // What somebody put into a link is text in a page.
        _ = try daemon.add("x", "https://example.com/\"><script>document.title='owned'</script>'-x-'")
        let listed = try page("\(base)/view/list")
        #expect(!listed.contains("<script"))
        #expect(!listed.contains("<title>owned"))
        try daemon.stop()
        #expect(try #require(try daemon.visits("list")) >= 1)
    }
}
