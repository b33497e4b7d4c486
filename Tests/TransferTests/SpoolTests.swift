// Sorting more than fits into memory.
import Foundation
import Shortening
import Testing

@testable import Transfer

@Suite struct SpoolTests {
    private func spool(_ slugs: [String], _ limit: SpoolPart.Limit) throws -> LinkSpool {
        var spool = LinkSpool(folder: FileManager.default.temporaryDirectory.path, limit: limit)
        for (row, slug) in slugs.enumerated() {
            try spool.makeRoom()
            let numbers = PackedNumbers(row: row, created: 1, clicks: 2, isListed: true)
            spool.append {
                $0.append(numbers, slug: Array(slug.utf8)[...], longURL: Array("https://\(slug)".utf8)[...], title: nil)
            }
        }
        try spool.seal()
        return spool
    }

    private func read(_ stream: consuming LinkStream, _ count: Int = 7) throws -> [(slug: String, row: Int)] {
        var found: [(slug: String, row: Int)] = []
        var links = PackedLinks()
        repeat {
            links.removeAll()
            stream.fill(&links, count)
            for start in links.starts {
                let link = PackedLink(at: links.bytes.span.extracting(start...))
                #expect(link.longURL.text == "https://\(link.slug.text)" && link.created == 1 && link.clicks == 2)
                found.append((link.slug.text, link.row))
            }
        } while !links.isEmpty
        #expect(stream.failure == nil)
        return found
    }

    @Test(arguments: [1, 3, 50, 1000])
    func `all come out once, in the order of a store, equals in that of the input`(_ limit: Int) throws {
        var random = Random(state: UInt64(limit))
        let alphabet = Array("abAB01-_.~")
        let slugs = (0..<400).map { _ -> String in
            let longest = Bool.random(using: &random) ? 11 : 22
            return String(
                (0..<Int.random(in: 1...longest, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a" }
            )
        }
        let expected = slugs.enumerated().sorted { left, right in
            if left.element == right.element { return left.offset < right.offset }
            let (isLeftLong, isRightLong) = (left.element.utf8.count > 10, right.element.utf8.count > 10)
            if isLeftLong != isRightLong { return isRightLong }
            return left.element.utf8.lexicographicallyPrecedes(right.element.utf8)
        }
        for size in [SpoolPart.Limit(links: limit), SpoolPart.Limit(bytes: limit * 60)] {
            let spool = try spool(slugs, size)
            #expect(spool.count == 400)
            // A sealed spool can be read more than once.
            for _ in 0..<2 {
                let found = try read(spool.stream())
                #expect(found.map(\.slug) == expected.map(\.element))
                #expect(found.map(\.row) == expected.map(\.offset))
            }
            if spool.isInMemory { #expect(try read(spool.stream(inInputOrder: true)).map(\.row) == Array(0..<400)) }
        }
    }

    @Test func `links larger than a run's buffer come through`() throws {
        var spool = LinkSpool(folder: FileManager.default.temporaryDirectory.path, limit: SpoolPart.Limit(links: 2))
        for row in 0..<5 {
            try spool.makeRoom()
            var details = PackedDetails()
            details.description = String(repeating: "\(row)", count: 300_000)
            spool.append {
                $0.append(
                    PackedNumbers(row: row, created: 0, clicks: 0, isListed: false), slug: Array("s\(9 - row)".utf8)[...],
                    longURL: [], title: Array("t".utf8)[...], details: details)
            }
        }
        try spool.seal()
        var stream = spool.stream()
        var links = PackedLinks()
        stream.fill(&links, 10)
        #expect(stream.failure == nil && links.count == 5)
        for (index, start) in links.starts.enumerated() {
            let link = PackedLink(at: links.bytes.span.extracting(start...))
            #expect(link.row == 4 - index && link.title.text == "t")
            #expect(link.details.description?.utf8.count == 300_000)
        }
    }

    @Test func `nothing is left in the folder, and a folder that cannot be used is named`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shorty-spool-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var spool = LinkSpool(folder: folder, limit: SpoolPart.Limit(links: 1))
        let numbers = PackedNumbers(row: 1, created: 0, clicks: 0, isListed: false)
        for _ in 0..<3 {
            try spool.makeRoom()
            spool.append { $0.append(numbers, slug: [97], longURL: [], title: nil) }
        }
        try spool.seal()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        var lost = LinkSpool(folder: folder + "/none", limit: SpoolPart.Limit(links: 1))
        lost.append { $0.append(numbers, slug: [97], longURL: [], title: nil) }
        #expect(throws: TransferError.self) { try lost.makeRoom() }
    }

    @Test func `an import in many runs gives what one in memory gives`() throws {
        let depot = try Depot()
        var random = Random(state: 5)
        var text = "slug,url,title\n"
        for row in 0..<3000 {
            text += "s\(Int.random(in: 0..<2500, using: &random)),https://example.com/\(row % 3),t\(row)\n"
        }
        let whole = try depot.take(text)
        let first = try depot.give()
        try depot.wipe()
        let pieces = try depot.take(Array(text.utf8), limit: SpoolPart.Limit(links: 100))
        #expect(try depot.give() == first)
        #expect(pieces == whole)
        #expect(whole.summary.added + whole.summary.bad + whole.summary.repeated == 3000)
    }
}
