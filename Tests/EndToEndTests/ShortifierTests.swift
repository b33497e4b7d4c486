// The first thing anybody does with Shorty, with the answers that the old clients were written for.
internal import Testing

@Suite(.atTheBench) struct ShortifierTests {
    @Test func `an added link is followed`() throws {
        let daemon = try TestDaemon()
        let added = try daemon.add("talk", "https://example.com/p?q=1")
        #expect(added.status == 201)
        #expect(added.text == #"{"Status":"SUCCESS"}"#)
        #expect(added["Content-Type"] == "application/json")
        let followed = try daemon.get("/talk")
        #expect(followed.status == 302)
        #expect(followed.location == "https://example.com/p?q=1")
        #expect(followed["Cache-Control"] == "no-store")
        #expect(followed["Content-Length"] == "0")
    }
}
