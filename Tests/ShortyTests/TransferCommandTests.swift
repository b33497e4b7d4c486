// `shorty import` and `shorty export`, as they are typed.
import Foundation
import Testing

@testable import Shorty

@Suite struct TransferCommandTests {
    @Test func `what cannot be meant is a usage error`() throws {
        let rehearsal = try Rehearsal()
        for words in [
            ["import"], ["import", "links"], ["import", "-"], ["import", "--format", "xml", "a.csv"],
            ["import", "a.csv", "b.csv"],
        ] {
            let outcome = try rehearsal.run(words)
            #expect(outcome.code == 2 && outcome.errors.contains("shorty help import"), "\(words): \(outcome.errors)")
        }
        #expect(try rehearsal.run(["export", "--format", "xml"]).code == 2)
        let missing = try rehearsal.run("import", "none.csv")
        #expect(missing.code == 1 && missing.errors.contains("none.csv cannot be opened"))
        #expect(try rehearsal.run("export").code == 1, "an export makes no store")
    }

    @Test func `bad rows are named on standard error, and the exit code tells of them`() throws {
        let rehearsal = try Rehearsal()
        let file = try rehearsal.write(
            "slug,url,note\na,https://example.com/\nb,https://example.com/,x\nc,nothing,\n", to: "l.csv")
        let outcome = try rehearsal.run("import", file)
        #expect(outcome.code == 1)
        #expect(outcome.output.hasPrefix("1 added, 0 already there, 2 bad, "))
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.map { $0.prefix(8) } == ["line 2: ", "line 4: ", "shorty: ", "The colu"], "\(outcome.errors)")
        let strict = try rehearsal.run("import", "--strict", file)
        #expect(
            strict.code == 1 && strict.output.isEmpty
                && strict.errors.contains("2 rows cannot be stored as they stand, and note is no name"))
        let good = try rehearsal.write(#"{"slug":"a","url":"https://example.com/"}"#, to: "l.JSONL")
        #expect(try rehearsal.run("import", good).code == 0, "a bad row took no slug")
    }

    @Test func `an export to - goes to standard output`() throws {
        let rehearsal = try Rehearsal()
        let file = try rehearsal.write("slug,url\na,https://example.com/\n", to: "l.csv")
        #expect(
            try rehearsal.run("import", file, "--public-url", "https://s.example").errors.contains("public-url") == false)
        let outcome = try rehearsal.run("export", "--output", "-")
        #expect(outcome.code == 0 && outcome.output.contains("\r\na,https://example.com/,"), "\(outcome)")
        #expect(try rehearsal.run("export").output == outcome.output)
        #expect(!FileManager.default.fileExists(atPath: "-"))
    }

    @Test func `numbers are written for people`() {
        #expect(ProgressText.grouped(0) == "0")
        #expect(ProgressText.grouped(999) == "999")
        #expect(ProgressText.grouped(1_234_567) == "1,234,567")
        #expect(ProgressText.grouped(-1_234) == "-1,234")
        #expect(ProgressText.grouped(-123) == "-123")
        #expect(ProgressText.links(1) == "1 link")
        #expect(ProgressText.seconds(.milliseconds(1_990)) == "1.9 s")
        #expect(ProgressText.line("Storing", 500, of: 1_000, .links) == "storing:  50 %, 500 of 1,000 links")
        #expect(ProgressText.line("Reading", 3 << 20, of: nil, .bytes) == "reading: 3 MiB")
        let bar = ProgressText.bar("Comparing", 999_999_999, of: 999_999_999, .links)
        #expect(bar.utf8.count <= 90 && bar.contains("[##############################] 100 %"))
        #expect(ProgressText.bar("Reading", 0, of: 0, .bytes) == "Reading  0 MiB")
    }
}
