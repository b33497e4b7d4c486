// Adds whose content is packed: unpacked before any dialect sees it.
import SocketClient
import Testing

@testable import Web

struct PackedContentTests {
    private static func gzip(_ text: String) -> [UInt8] {
        guard var encoder = GzipEncoder() else { return [] }
        return encoder.encode(Array(text.utf8), isLast: true)
    }

    private static func post(_ content: [UInt8], type: String, _ coding: String) -> [UInt8] {
        let head =
            "POST /api-add HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nContent-Encoding: \(coding)\r\n"
            + "Content-Length: \(content.count)\r\n\r\n"
        return Array(head.utf8) + content
    }

    @Test(arguments: [
        ("application/json", #"{"key":"my_key","url":"https://example.com/","url_slug":"s"}"#),
        ("application/x-www-form-urlencoded", "key=my_key&url=https://example.com/&url_slug=s"),
    ])
    func `a packed add is an add`(type: String, text: String) async throws {
        let service = try WebService()
        let client = try service.connect()
        await client.send(Self.post(Self.gzip(text), type: type, "gzip"))
        #expect(try await client.reply().text.contains("SUCCESS"))
        #expect(try await service.get("/s")["Location"] == "https://example.com/")
    }

    @Test func `a packing that is not understood stores nothing`() async throws {
        let service = try WebService()
        let client = try service.connect()
        let text = "key=my_key&url=https://example.com/&url_slug=s"
        await client.send(Self.post(Array(text.utf8), type: "application/x-www-form-urlencoded", "br"))
        let reply = try await client.reply()
        #expect(reply.status == 415 && reply["Accept-Encoding"] == "gzip")
        #expect(try await service.get("/s").status == 404)
    }
}
