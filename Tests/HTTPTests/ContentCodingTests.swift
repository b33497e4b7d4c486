// Packed content over real sockets: handlers see what was packed, and nobody unpacks without end.
import Foundation
import Packing
import Sanitizer
import SocketClient
import Testing

@testable import HTTP

struct ContentCodingTests {
    private static func server(limit: Int = 4096, policy: BodyPolicy = .gather) throws -> TestServer {
        var limits = Limits.patient
        limits.body = limit
        return try TestServer(limits, policy: policy) { request, answer in answer.send(plain(request.bodyText)) }
    }

    private static func head(_ fields: String...) -> [UInt8] {
        Array(("POST / HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
    }

    private static func post(_ content: [UInt8], coding: String = "gzip") -> [UInt8] {
        head("Content-Encoding: \(coding)", "Content-Length: \(content.count)") + content
    }

    private static func chunked(_ content: [UInt8], by size: Int) -> [UInt8] {
        var bytes = head("Content-Encoding: gzip", "Transfer-Encoding: chunked")
        for start in stride(from: 0, to: content.count, by: size) {
            let chunk = content[start..<min(start + size, content.count)]
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private static func ask(_ client: SocketClient, _ bytes: [UInt8]) async throws -> Reply {
        await client.send(bytes)
        return try await client.reply()
    }

    @Test(arguments: ["gzip", "GZIP", "x-gzip", "identity, gzip", " , gzip,"])
    func `packed content reaches the handler unpacked, and the connection goes on`(coding: String) async throws {
        let server = try Self.server()
        let client = try server.connect()
        for text in ["first", String(repeating: "b", count: 4096), ""] {
            #expect(try await Self.ask(client, Self.post(gzip(text), coding: coding)).text == text)
        }
        #expect(try await Self.ask(client, Self.post(Array("plain".utf8), coding: "identity")).text == "plain")
        #expect(try await Self.ask(client, Self.post([], coding: "gzip")).text == "")
    }

    @Test func `packed chunks of any size are unpacked, byte by byte too`() async throws {
        let server = try Self.server()
        let packed = gzip("https://example.com/ and https://example.org/")
        for size in [1, 2, 10, 1000] {
            let reply = try await Self.ask(server.connect(), Self.chunked(packed, by: size))
            #expect(reply.text == "https://example.com/ and https://example.org/")
        }
        let client = try server.connect()
        for byte in Self.chunked(packed, by: 7) + Self.post(packed) { await client.send([byte]) }
        for _ in 0..<2 { #expect(try await client.reply().text.hasPrefix("https://example.com/ and")) }
    }

    @Test func `packed requests in one packet are answered in order`() async throws {
        let server = try Self.server()
        let client = try server.connect()
        await client.send(Self.post(gzip("one")) + Self.chunked(gzip("two"), by: 3) + Self.post(gzip("three")))
        for text in ["one", "two", "three"] { #expect(try await client.reply().text == text) }
    }

    @Test(arguments: ["br", "deflate", "gzip, gzip", "gzip, br", "zstd", "gzip;q=1", "*"])
    func `another coding is 415, and told what is taken`(coding: String) async throws {
        let server = try Self.server()
        let client = try server.connect()
        let reply = try await Self.ask(client, Self.post(gzip("x"), coding: coding))
        #expect(reply.status == 415 && reply["Accept-Encoding"] == "gzip" && reply["Connection"] == "close")
        #expect(await client.ending() == .closed(unread: 0))
        let fields = ["Content-Encoding: gzip", "Content-Encoding: \(coding)", "Expect: 100-continue", "Content-Length: 9"]
        let twice = "POST / HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
        #expect(try await server.connect().ask(twice).status == 415)
    }

    @Test func `a coding without content is nobody's business, nor is that of content which is dropped`() async throws {
        let server = try Self.server()
        let client = try server.connect()
        #expect(try await client.ask(get("/", "Content-Encoding: br")).status == 200)
        let dropping = try Self.server(policy: .ignore)
        let ignoring = try dropping.connect()
        #expect(try await Self.ask(ignoring, Self.post(Array("no gzip".utf8))).status == 200)
        #expect(try await Self.ask(ignoring, Self.post(Array("no br".utf8), coding: "br")).status == 200)
    }

    @Test func `the limit counts what is unpacked`() async throws {
        let full = [UInt8](repeating: UInt8(ascii: "f"), count: 4096)
        let server = try Self.server()
        #expect(try await Self.ask(server.connect(), Self.post(gzip(full))).body == full)
        // Stored without packing, it is longer than the limit on its way.
        #expect(gzip(full, level: 0).count > 4096)
        #expect(try await Self.ask(server.connect(), Self.post(gzip(full, level: 0))).body == full)
        for packed in [gzip(full + [0]), gzip(full) + gzip("x")] {
            for bytes in [Self.post(packed), Self.chunked(packed, by: 5)] {
                let client = try server.connect()
                #expect(try await Self.ask(client, bytes).status == 413)
                #expect(await client.ending() == .closed(unread: 0))
            }
        }
        // Nothing at all can be packed without end too.
        let nothing = Array(repeatElement(gzip(""), count: 1000).joined())
        #expect(try await Self.ask(server.connect(), Self.post(nothing)).status == 413)
        #expect(try await Self.ask(server.connect(), Self.chunked(nothing, by: 100)).status == 413)
    }

    @Test func `a bomb of a gigabyte is 413 and takes no memory`() async throws {
        let server = try Self.server(limit: 1 << 20)
        let bomb = Array(repeatElement(gzip([UInt8](repeating: 0, count: 1 << 20), level: 9), count: 1024).joined())
        let before = try residentKilobytes()
        for bytes in [Self.post(bomb), Self.chunked(bomb, by: 60_000)] {
            #expect(try await Self.ask(server.connect(), bytes).status == 413)
        }
        // The tests beside this one take some too, and more under a sanitizer; unbounded, the bomb would take twice this.
        #expect(try Sanitizer.isOn || residentKilobytes() - before < 512 * 1024)
        #expect(try await Self.ask(server.connect(), Self.post(gzip("after"))).text == "after")
    }

    @Test func `what is no gzip, is damaged, cut short or followed by more is 400`() async throws {
        let server = try Self.server()
        let packed = gzip("https://example.com/")
        var damaged = packed
        damaged[packed.count - 6] ^= 1
        for content in [
            Array("plain".utf8), damaged, packed.dropLast(), packed + [0], packed + Array("GET / HTTP/1.1".utf8),
        ] {
            for bytes in [Self.post(content), Self.chunked(content, by: 4)] {
                let client = try server.connect()
                let reply = try await Self.ask(client, bytes + Array(get("/next").utf8))
                #expect(reply.status == 400 && reply["Accept-Encoding"] == nil)
                #expect(await client.ending() == .closed(unread: 0))
            }
        }
    }
}
