import Foundation
import Testing

@testable import Shortening

/// The URL standard's own cases for http and https, and the refusal of all others. Their source and licence stand in the file.
struct URLStandardTests {
    private struct Fixture: Decodable {
        /// Pairs of an input and what a browser makes of it; nil where it must be refused.
        let cases: [[String?]]
    }

    @Test func `every case of the standard is opened or refused as a browser does`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Fixtures/url-standard.json")
        let fixture = try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: file))
        #expect(fixture.cases.count == 543)
        for pair in fixture.cases {
            let input = try #require(pair[0])
            let url = try? LongURL(input, limit: 8000)
            #expect(url?.standardForm == pair[1], "\(input.debugDescription)")
            guard let url else { continue }
            #expect(url.text.utf8.allSatisfy { (0x21...0x7e).contains($0) })
            #expect(try LongURL(url.text, limit: 8000) == url)
        }
    }
}
