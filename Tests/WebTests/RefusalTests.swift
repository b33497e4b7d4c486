// What the server itself refuses, before any route is asked, is refused in the form of the path's clients, and says how much would
// have been allowed.
import SocketClient
import Testing

@testable import HTTP
@testable import Web

struct RefusalTests {
    @Test(arguments: [
        (#"/api-add"#, #"{"Status":"FAILURE","Message":"The content is too large. At most 1048576 bytes are allowed."}"#),
        ("/Squeeze.svc/k?url=x", "ERROR 413: The content is too large. At most 1048576 bytes are allowed."),
        (
            "/private/courses.json",
            #"{"status":413,"title":"Content Too Large","#
                + "\"detail\":\"The content is too large. At most 1048576 bytes are allowed.\"}\n"
        ),
        ("/s", "The content is too large. At most 1048576 bytes are allowed.\n"),
    ])
    func `content that is too large`(_ target: String, _ text: String) async throws {
        let service = try WebService()
        for framing in ["Content-Length: 1048577\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n100001\r\n"] {
            let reply = try await service.connect().ask("GET \(target) HTTP/1.1\r\nHost: a\r\n\(framing)")
            #expect(reply.status == 413 && reply.text == text && reply["Connection"] == "close")
        }
    }

    @Test func `another expectation, another coding and content that is damaged`() async throws {
        let service = try WebService()
        func ask(_ target: String, _ fields: String) async throws -> Reply {
            try await service.connect().ask("POST \(target) HTTP/1.1\r\nHost: a\r\n\(fields)")
        }
        let tea = try await ask("/api-add", "Expect: tea\r\n\r\n")
        #expect(tea.status == 417 && tea.word == "FAILURE" && tea.message.contains("100-continue"))
        let packed = try await ask("/api-add", "Content-Encoding: br\r\nContent-Length: 1\r\n\r\n")
        #expect(packed.status == 415 && packed.word == "FAILURE" && packed["Accept-Encoding"] == "gzip")
        let damaged = try await ask("/api-get", "Transfer-Encoding: chunked\r\n\r\nx")
        #expect(damaged.status == 400 && damaged.word == "FAILURE" && damaged.message.contains("chunked"))
    }

    @Test func `a head that is too large`() async throws {
        let service = try WebService()
        func ask(_ head: String) async throws -> String { try await service.connect().ask(head).text }
        #expect(
            try await ask("GET /\(String(repeating: "a", count: 17_000))")
                == "The request line is too long. At most 16384 bytes are allowed.\n")
        #expect(
            try await ask("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 33_000))")
                == "The header fields are too many or too large. At most 100 of them are allowed, and 32768 bytes.\n")
    }
}
