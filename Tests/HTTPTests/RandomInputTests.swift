import SocketClient
import Testing

@testable import HTTP

/// Bytes that nobody meant as a request. The generators are seeded, so that a failure can be repeated.
struct RandomInputTests {
    private static let pieces: [[UInt8]] = [
        "GET", "POST", "HEAD", " ", "/", "HTTP/1.1", "HTTP/1.0", "\r\n", "\r\n\r\n", "\r", "\n", "Host: a\r\n", ":",
        "X: y\r\n",
        "Content-Length: ", "5", "99999999999999999999", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "5\r\nhello\r\n",
        ";a=\"", "?",
        "%", "Expect: 100-continue\r\n", "Connection: close\r\n", "FFFFFFFF", "\0", "\u{ff}", "http://", "*", "[::1]", "\t",
        ",",
    ].map { Array($0.utf8) }

    private static func bytes(_ random: inout Xorshift) -> [UInt8] {
        if Bool.random(using: &random) {
            return (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        return (0..<Int.random(in: 0...16, using: &random)).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `ten thousand random texts stop neither the parser nor the decoder`(_ seed: UInt64) {
        var random = Xorshift(seed: seed)
        var heads = 0
        for _ in 0..<2_500 {
            let bytes = Self.bytes(&random)
            let good = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
            if parse(bytes).head != nil { heads += 1 }
            if parse(good + bytes).head != nil { heads += 1 }
            var decoder = ChunkedDecoder(limits: Limits())
            var at = 0
            try? decoder.decode(bytes.span, &at) { _ in }
            #expect(at <= bytes.count)
            _ = decodePercentBytes(bytes.span, plusIsSpace: true)
            _ = normalizedPath(bytes.span)
        }
        #expect(heads > 5)
    }

    @Test func `a server survives a thousand random clients`() async throws {
        let server = try TestServer(loops: 2) { request, answer in answer.send(plain(request.pathText)) }
        var random = Xorshift(seed: 11)
        for round in 0..<1_000 {
            let client = try server.connect()
            await client.send(Self.bytes(&random))
            if round % 3 == 0 { client.leave() }
        }
        #expect(try await server.connect().ask(get("/still-here")).text == "/still-here")
    }
}
