// Entity tags, conditional requests and content coding.
import SQLiteStore
import Shortening
import SocketClient
import Testing

@testable import Web

@Suite struct ValidatorTests {
    private func site() throws -> RunningSite {
        let site = try RunningSite()
        try site.link("a", title: "A")
        try site.link("b", title: "B")
        try site.event("a", "2030-01-01", "2030-01-02")
        try site.collect("set", ["a"])
        return site
    }

    @Test func `who has the listing is told so, by strong, weak, listed and starred tags`() async throws {
        let site = try site()
        let tag = try #require(try await site.get("/set.json")["etag"])
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""), "a strong validator")
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let reply = try await site.get("/set.json", "If-None-Match: \(known)")
            #expect(reply.status == 304)
            #expect(reply["etag"] == tag && reply["vary"] == "Accept-Encoding")
            #expect(reply["content-length"] == nil && reply["content-encoding"] == nil)
        }
        for other in ["\"x\"", "x", "", tag.replacing("\"", with: "")] {
            #expect(try await site.get("/set.json", "If-None-Match: \(other)").status == 200)
        }
    }

    @Test func `each coding and each filter has a tag of its own`() async throws {
        let site = try site()
        let plain = try #require(try await site.get("/set.json")["etag"])
        let packed = try #require(try await site.get("/set.json", "Accept-Encoding: gzip")["etag"])
        let filtered = try #require(try await site.get("/set.json?year=2030")["etag"])
        #expect(Set([plain, packed, filtered]).count == 3)
        #expect(try await site.get("/set.json", "Accept-Encoding: gzip", "If-None-Match: \(packed)").status == 304)
        #expect(try await site.get("/set.json", "Accept-Encoding: gzip", "If-None-Match: \(plain)").status == 200)
        #expect(try await site.get("/set.json?month=1", "If-None-Match: \(filtered)").status == 200)
    }

    @Test func `every change of what is shown changes the tag, and nothing else does`() async throws {
        let site = try site()
        let name = CollectionName(stored: "set")
        var last = try #require(try await site.get("/set.json")["etag"])
        func moves(_ change: () throws -> Void) async throws -> Bool {
            try change()
            let now = try #require(try await site.get("/set.json")["etag"])
            defer { last = now }
            return now != last
        }
        #expect(try await moves { _ = try site.store.addMember(Slug(stored: "b"), to: name) })
        #expect(try await moves { _ = try site.store.setTags([Tag(stored: "x")], of: Slug(stored: "b")) })
        #expect(try await !moves { _ = try site.store.setTags([Tag(stored: "x")], of: Slug(stored: "b")) })
        #expect(try await moves { _ = try site.store.setTags([], of: Slug(stored: "b")) })
        #expect(try await moves { try site.event("b", "2030-05-01", "2030-05-01") })
        #expect(try await !moves { try site.link("c") })
        #expect(try await !moves { try site.event("c", "2030-05-01", "2030-05-01") })
        #expect(try await !moves { _ = try site.store.addMember(Slug(stored: "b"), to: name) })
        #expect(try await moves { _ = try site.store.remove(Slug(stored: "a")) })
        #expect(try await moves { _ = try site.store.removeMember(Slug(stored: "b"), from: name) })
        #expect(try await !moves { _ = try site.store.removeMember(Slug(stored: "b"), from: name) })
        #expect(
            try await moves {
                // The same name with the same content is another collection all the same.
                _ = try site.store.removeCollection(name)
                try site.collect("set")
            })
    }

    @Test(arguments: [
        ("gzip", true), ("gzip, deflate", true), ("GZIP;Q=0.1", true), ("x-gzip", true), ("deflate, gzip, br, zstd", true),
        ("*", true), ("br;q=1, *;q=0.2", true), ("gzip; q=1.000", true), ("identity;q=0.5, gzip", true),
        ("gzip;q=0", false), ("gzip;q=0.000", false), ("*, gzip;q=0", false), ("deflate", false), ("", false),
        ("identity, gzip;q=0.5", false), ("gzip;q=abc", false), ("gzip;q=2", false), ("gzipped", false), ("*;q=0", false),
    ])
    func `gzip is sent to those who want it and to nobody else`(accepted: String, isPacked: Bool) async throws {
        let site = try site()
        let plain = try await site.get("/set.json")
        let reply = try await site.get("/set.json", "Accept-Encoding: \(accepted)")
        #expect(reply.status == 200)
        #expect(reply["vary"] == "Accept-Encoding")
        #expect((reply["content-encoding"] == "gzip") == isPacked)
        #expect((isPacked ? gunzip(reply.body) : reply.body) == plain.body)
        #expect(plain["content-encoding"] == nil && plain["vary"] == "Accept-Encoding")
    }

    @Test func `the encoder writes one whole stream, whatever the pieces`() async throws {
        let text = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        for size in [1, 1000, 65536, 200_000] {
            guard var encoder = GzipEncoder() else { throw SetUpFault(message: "no memory") }
            var packed: [UInt8] = []
            let count = size == 1 ? 2000 : text.count
            for start in stride(from: 0, to: count, by: size) {
                let end = min(start + size, count)
                packed += encoder.encode(Array(text[start..<end]), isLast: end == count)
            }
            #expect(gunzip(packed) == Array(text[..<count]))
        }
        guard var empty = GzipEncoder() else { throw SetUpFault(message: "no memory") }
        let nothing = empty.encode([], isLast: true)
        #expect(gunzip(nothing) == [])
    }
}
