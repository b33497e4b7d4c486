// Where a configuration file breaks. The decoder says only that it does, so this asks it about ever shorter beginnings of the
// file. No second reader: it knows nothing of JSON5 but its brackets.

/// What a search for the fault of a text found.
enum FaultyLine: Equatable, Sendable {
    /// Counted from 1. What is missing can be at the end of a line before.
    case line(Int)
    /// Nothing is wrong but that something is still open.
    case endOfFile

    /// What can end a document that was cut after a line: of three levels, that is one more than settings have.
    private static let endings: [String] = ["", "*/"].flatMap { comment in
        ["", "{}", "}", "}}", "}}}", "]", "]}", "]}}", "]}}}", "0}", "0}}", "0}}}"].map { "\n" + comment + $0 }
    }

    /// The first line with which no ending makes the beginning of `bytes` good. `bytes` themselves are not good. Asks `isGood`
    /// some 24 times the number of lines' binary logarithm.
    static func find(in bytes: [UInt8], isGood: ([UInt8]) -> Bool) -> FaultyLine {
        func canEnd(_ beginning: ArraySlice<UInt8>) -> Bool { endings.contains { isGood(beginning + Array($0.utf8)) } }
        if canEnd(bytes[...]) { return .endOfFile }
        let newline = UInt8(ascii: "\n")
        let cuts = bytes.indices.filter { bytes[$0] == newline }.map { $0 + 1 }
        // The cut after which it is good still, and the one after which it is no longer, move together.
        var good = 0
        var bad = cuts.count + 1
        while bad - good > 1 {
            let middle = (good + bad) / 2
            if canEnd(bytes[..<cuts[middle - 1]]) { good = middle } else { bad = middle }
        }
        return .line(bad)
    }
}
