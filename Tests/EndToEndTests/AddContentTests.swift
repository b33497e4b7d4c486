// What may stand in the content of an add, and how it may arrive.
internal import Foundation
internal import Glibc
internal import Testing

@Suite(.atTheBench) struct AddContentTests {
    @Test func `bad content is refused and the connection goes on`() throws {
        let daemon = try TestDaemon()
        let wire = try daemon.connect()
        func post(_ body: [UInt8], _ type: String = "application/json") throws -> Reply {
            let head =
                "POST /api-add HTTP/1.1\r\nHost: s.test\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
            try wire.send(Array(head.utf8) + body)
            return try wire.reply()
        }
        let good = #"{"key":"my_key","url":"https://example.com/","url_slug":"s"}"#
        let texts = [
            "", "{", "[]", "\"x\"", "null", "{\"ur\":\"https://example.com/\"}", "{\"url\":\"\"}", good + good,
            "{\"key\":\"my_key\"",
            "{\"key\":\"my_key\",\"url\":\"https://example.com/\n\"}", #"{"key":"my_key","url":"\ud800"}"#,
            #"{"key":"my_key","url":"https://example.com/","url_slug":"a\u0000"}"#,
        ]
        let wrongBytes: [[UInt8]] = [
            Array(#"{"key":"my_key","url":"https://example.com/"#.utf8) + [0xc3, 0x28] + Array(#""}"#.utf8),
            Array(good.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }), [0xff, 0xfe],
        ]
        for body in texts.map({ Array($0.utf8) }) + wrongBytes {
            let reply = try post(body)
            #expect([201, 400, 403].contains(reply.status), "\(reply.status)")
            #expect(reply.outcome == "FAILURE", "\(String(decoding: body, as: UTF8.self)): \(reply.text)")
            #expect(reply.json?["Message"]?.isEmpty == false)
        }
        for value in ["123", "null", "[\"x\"]", "{}", "true"] {
            let reply = try post(Array("{\"key\":\"my_key\",\"url_slug\":\"v\",\"url\":\(value)}".utf8))
            #expect(reply.outcome == "FAILURE")
            #expect(reply.json?["Message"]?.contains("url") == true)
        }
        #expect(
            try post(Array("key=my_key&url=%FF&url_slug=v".utf8), "application/x-www-form-urlencoded").outcome == "FAILURE")
        // Of two values of a name the first counts, for the check and for the store alike.
        let twice = #"{"key":"my_key","url_slug":"twice","url":"https://a.example/","\u0075rl":"javascript:alert(1)"}"#
        if try post(Array(twice.utf8)).outcome == "SUCCESS" {
            #expect(try daemon.get("/twice").location == "https://a.example/")
        }
        #expect(try post([0xef, 0xbb, 0xbf] + Array(good.utf8)).outcome == "SUCCESS")
        #expect(try daemon.get("/s").location == "https://example.com/")
        #expect(try daemon.get("/v").status == 404)
    }

    @Test func `who waits to be told to go on is told at once, or refused at once`() throws {
        let daemon = try TestDaemon(["LIMITS_BODY": "4KiB"])
        func head(_ length: Int, _ expectation: String = "100-continue") -> String {
            "POST /api-add HTTP/1.1\r\nHost: s.test\r\nExpect: \(expectation)\r\nContent-Length: \(length)\r\n\r\n"
        }
        for (key, wanted) in [("my_key", 201), ("wrong", 403)] {
            let start = "key=\(key)&url=https://example.com/&url_slug=\(key)&p="
            let body = start + String(repeating: "p", count: 2_048 - start.utf8.count)
            let wire = try daemon.connect()
            try wire.send(head(body.utf8.count))
            #expect(try wire.reply().status == 100)
            try wire.send(body)
            #expect(try wire.reply().status == wanted)
            try wire.send("GET /my_key HTTP/1.1\r\nHost: s.test\r\n\r\n")
            #expect(try wire.reply().location == "https://example.com/")
        }
        for (request, wanted) in [(head(5_000), 413), (head(20, "something-else"), 417)] {
            let wire = try daemon.connect()
            try wire.send(request)
            let reply = try wire.reply()
            #expect(reply.status == wanted && reply["Connection"] == "close")
        }
    }

    @Test func `an add in pieces is one add`() throws {
        let daemon = try TestDaemon()
        let title = String(repeating: "t", count: 400)
        let body = #"{"key":"my_key","url":"https://example.com/pieces","url_slug":"p","title":"\#(title)"}"#
        let wire = try daemon.connect()
        let text =
            "POST /api-add HTTP/1.1\r\nHost: s.test\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try wire.send(rest.prefix(90))
            rest = rest.dropFirst(90)
            usleep(20_000)
        }
        #expect(try wire.reply().outcome == "SUCCESS")
        try wire.send("POST /api-add HTTP/1.1\r\nHost: s.test\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in [
            "8;name=value\r\nkey=my_k\r\n", "d\r\ney&url_slug=c\r\n", "1a\r\n&url=https://example.com/c\r\n",
            "0\r\nTrailer: x\r\n\r\n",
        ] {
            try wire.send(piece)
            usleep(20_000)
        }
        #expect(try wire.reply().outcome == "SUCCESS")
        try wire.send("GET /c HTTP/1.1\r\nHost: s.test\r\n\r\n")
        #expect(try wire.reply().location == "https://example.com/c")
        #expect(try daemon.get("/p").location == "https://example.com/pieces")
    }
}
