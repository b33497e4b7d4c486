import Testing

@testable import Transfer

@Suite struct ValueTests {
    // Spans cannot stand in an expectation.
    private func seconds(_ text: String) -> Int64? { Timestamp.seconds(text.utf8Span.span) }
    private func needsApostrophe(_ cell: String) -> Bool { FormulaGuard.needsApostrophe(cell.utf8Span.span) }
    private func hasApostrophe(_ cell: String) -> Bool { FormulaGuard.hasApostrophe(cell.utf8Span.span) }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29", 951_782_400), ("2030-01-31T12:00:00Z", 1_896_091_200),
            ("2030-01-31 12:00", 1_896_091_200), ("2030-01-31t12:00:00.999+00:00", 1_896_091_200),
            ("2030-01-31T14:30:00+02:30", 1_896_091_200), ("2030-01-31T12:00:00", 1_896_091_200),
            ("1896091200", 1_896_091_200),
            ("-1", -1), ("1969-12-31T23:59:59Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:60Z", 253_402_300_800), ("2100-03-01", 4_107_542_400),
        ] as [(String, Int64)])
    func `a time is read`(_ text: String, _ expected: Int64) {
        #expect(seconds(text) == expected)
    }

    @Test(arguments: [
        "", "now", "2030-", "2030-1-1", "2030-02-29", "2100-02-29", "2030-13-01", "2030-00-01", "2030-01-00", "2030-01-31T",
        "2030-01-31T24:00:00Z", "2030-01-31T12:60:00Z", "2030-01-31T12:00:61Z", "2030-01-31T12:00:00X",
        "2030-01-31T12:00:00.Z",
        "2030-01-31T12:00:00+1:00", "1234567890123456789", "--1", "+1", "2030-01-31T12:00:00ZZ", " 1",
    ])
    func `what is no time is refused`(_ text: String) {
        #expect(seconds(text) == nil)
    }

    @Test func `every time that is written is read as it was`() {
        var random = Random(state: 3)
        for magnitude in [100, 10_000_000_000, 1_000_000_000_000, 100_000_000_000_000_000] as [Int64] {
            for _ in 0..<200 {
                let seconds = Int64.random(in: -magnitude...magnitude, using: &random)
                #expect(self.seconds(Timestamp.text(seconds)) == seconds)
            }
        }
        #expect(Timestamp.text(1_896_091_200) == "2030-01-31T12:00:00Z")
    }

    @Test func `an apostrophe is put before every formula, and the way back is exact`() {
        for cell in ["=1", "+1", "-1", "@a", "\ta", "\ra", "\na", "'=1", "''@a", "=", "-"] {
            #expect(needsApostrophe(cell), "\(cell.debugDescription)")
            #expect(hasApostrophe("'" + cell))
        }
        for cell in ["", "a", "'", "''", "'a", "1=1", " =1"] {
            #expect(!needsApostrophe(cell), "\(cell.debugDescription)")
            #expect(!hasApostrophe(cell))
        }
    }
}
