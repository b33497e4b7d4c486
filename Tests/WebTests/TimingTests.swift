// How long a wrong key takes to be refused must not tell how near it was.
import Foundation
import MemoryStore
import SocketClient
import Testing

@testable import HTTP
@testable import Web

@Suite(.serialized) struct TimingTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    /// Wrong keys of one kind; `round` makes each another one.
    private static let kinds: [(name: String, key: @Sendable (_ round: Int) -> String)] = [
        ("random", { _ in (0..<32).map { _ in String("0123456789abcdef".randomElement() ?? "0") }.joined() }),
        (
            "all but the last character",
            { String(secret.dropLast()) + String("0123456789abcde".utf8.map { Character(UnicodeScalar($0)) }[$0 % 15]) }
        ),
        ("shorter by one character", { _ in String(secret.dropLast()) }),
        ("short", { String($0 % 10) }),
    ]

    /// Medians of 500 requests of each kind, taken in turn, so that a busy machine slows down all of them alike.
    private func medians(_ client: SocketClient) async throws -> [Duration] {
        var times = Self.kinds.map { _ in [Duration]() }
        var answers: Set<String> = []
        for round in 0..<500 {
            for (index, kind) in Self.kinds.enumerated() {
                // Of one length, so that reading it costs the same.
                let text = "key=\(kind.key(round))&url=https://example.com/&p="
                let body = text + String(repeating: "p", count: 100 - text.utf8.count)
                let request = String(
                    decoding: WebService.post("/api-add", Array(body.utf8), type: "application/x-www-form-urlencoded"),
                    as: UTF8.self)
                let start = ContinuousClock.now
                let reply = try await client.ask(request)
                times[index].append(.now - start)
                answers.insert("\(reply.status) \(reply.text)")
            }
        }
        #expect(answers.count == 1 && answers.first?.hasPrefix("403") == true, "\(answers)")
        return times.map { $0.sorted()[$0.count / 2] }
    }

    @Test func `a wrong key is refused in the same time, however near it is to a right one`() async throws {
        let service = try WebService { $0.wrongKeys = .max }
        service.store.addKey(Self.secret)
        let client = try service.connect()
        _ = try await medians(client)
        // Noise goes one way or the other; what tells something goes the same way each time.
        var differences: [Double] = []
        for _ in 0..<5 {
            let medians = try await medians(client)
            let ratio = (medians.max() ?? .zero) / (medians.min() ?? .zero)
            if ratio < 1.2 { return }
            differences.append(ratio)
        }
        Issue.record("the slowest kind took longer each time, by a factor of \(differences)")
    }
}
