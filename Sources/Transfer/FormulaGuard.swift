// Spreadsheets run a cell that begins like a formula, also one that came from a file. Such cells leave with an apostrophe in
// front, which spreadsheets take as «this is text», and come back without it (OWASP, «CSV Injection»).
//
// A cell that has apostrophes before the sign already gets one more, so the way back is exact: leaving adds one where the
// cell is any number of apostrophes and a sign, coming takes one away where there is at least one and a sign behind them.

enum FormulaGuard {
    /// What a formula can begin with; tab and line breaks are dropped by some programs, and then the next character begins.
    private static func isSign(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "\t"),
            UInt8(ascii: "\r"), UInt8(ascii: "\n"):
            true
        default: false
        }
    }

    /// Whether a cell needs an apostrophe on its way out.
    static func needsApostrophe(_ cell: Span<UInt8>) -> Bool {
        var index = 0
        while index < cell.count, cell[index] == UInt8(ascii: "'") { index += 1 }
        return index < cell.count && isSign(cell[index])
    }

    /// Whether a cell's first apostrophe was put there on its way out.
    static func hasApostrophe(_ cell: Span<UInt8>) -> Bool {
        cell.count > 1 && cell[0] == UInt8(ascii: "'") && needsApostrophe(cell)
    }
}
