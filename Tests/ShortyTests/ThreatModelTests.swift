// The threat model names the tests that hold it; here they are looked for, so that none is renamed or lost behind its back.
import Foundation
import Testing

struct ThreatModelTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All source text of a test target.
    private static func sources(of target: String) throws -> String {
        let folder = root.appendingPathComponent("Tests/\(target)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }.joined()
    }

    @Test func `every test that the threat model names is there`() throws {
        let file = Self.root.appendingPathComponent("Sources/Shorty/Shorty.docc/ThreatModel.md")
        var (sources, count): ([String: String], Int) = ([:], 0)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            guard line.hasPrefix("- "), let colon = line.firstIndex(of: ":"), line[..<colon].hasSuffix("Tests") else {
                continue
            }
            let target = String(line[..<colon].dropFirst(2))
            let text = try sources[target] ?? Self.sources(of: target)
            sources[target] = text
            // Names stand between backticks: every other part.
            for (index, name) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                count += 1
                #expect(text.contains("func `\(name)`"), "\(target) has no test \"\(name)\"")
            }
        }
        #expect(count > 100)
    }
}
