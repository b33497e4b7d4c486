// The Swift client library against the real daemon, as an app would use it: over URLSession.
internal import Foundation
internal import SqueezeKit
internal import Testing

@Suite(.atTheBench) struct SqueezeKitTests {
    private static let longURLs = [
        "https://example.com/a?x=1&y=2#frag", "https://example.com/s?q=a+b&c=50%25", "https://example.com/%E2%98%83",
        "http://[2001:db8::1]:8080/x", "https://bücher.example/straße", "https://example.com/?url=https://b.example/",
    ]

    /// A daemon with an account key, and a client that has it.
    private func service() throws -> (TestDaemon, Squeezer) {
        let daemon = try TestDaemon()
        let created = try daemon.command("key", "create", "--name", "anna", "--account-key")
        let key = created.output.trimmingCharacters(in: .newlines)
        let account = try Squeezer.Account(server: "http://127.0.0.1:\(daemon.port)", key: key)
        return (daemon, Squeezer(account: account))
    }

    @Test func `what is squeezed leads back, and is the same the next time`() async throws {
        let (daemon, squeezer) = try service()
        for longURL in Self.longURLs {
            let short = try await squeezer.shortenURL(longURL: longURL)
            #expect(short.absoluteString.hasPrefix(TestDaemon.publicURL + "/"))
            #expect(try await squeezer.shortenURL(longURL: longURL) == short)
            let location = try #require(try daemon.get(short.path).location)
            if longURL.utf8.allSatisfy({ $0 < 0x80 }) { #expect(location == longURL) }
        }
        let list = try daemon.command("list", "--account", "anna").output
        #expect(list.split(separator: "\n").count == Self.longURLs.count)
    }

    @Test func `the completion handler gets the same`() async throws {
        let (daemon, squeezer) = try service()
        defer { withExtendedLifetime(daemon) {} }
        let outcome = await withCheckedContinuation { continuation in
            _ = squeezer.shortenURL(longURL: "https://example.com/handler") { continuation.resume(returning: $0) }
        }
        let short = try outcome.get()
        #expect(try await squeezer.shortenURL(longURL: "https://example.com/handler") == short)
    }

    @Test func `refusals come as the library's errors`() async throws {
        let (daemon, squeezer) = try service()
        let account = try Squeezer.Account(
            server: "http://127.0.0.1:\(daemon.port)", key: String(repeating: "f", count: 32))
        await #expect(throws: SqueezeError.unknownKey) {
            try await Squeezer(account: account).shortenURL(longURL: "https://example.com/")
        }
        let tooLong = "https://example.com/" + String(repeating: "a", count: 500)
        do {
            _ = try await squeezer.shortenURL(longURL: tooLong)
            Issue.record("a long URL over the limit was taken")
        } catch {
            guard case .refused(let message) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(message.contains("500"))
        }
    }
}
