// What all targets have in common: claims that end the run, and choices that follow from the input alone, so that a file of the
// corpus is the bytes as a client would send them, and tries the same thing each time.

/// Ends the process where a claim does not hold, with words that stand above libFuzzer's report.
func claim(_ isTrue: Bool, _ words: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) {
    if !isTrue { fatalError(words(), file: file, line: line) }
}

/// Numbers that look random and depend on the input only (xorshift, Marsaglia 2003, seeded with FNV-1a).
struct Choices: RandomNumberGenerator {
    private var state: UInt64

    init(of bytes: [UInt8]) {
        state = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// From 0 to `most`.
    mutating func number(upTo most: Int) -> Int { Int.random(in: 0...most, using: &self) }

    /// Where `count` bytes are cut into pieces of 1 to `most`: the end of each piece.
    mutating func cuts(of count: Int, upTo most: Int) -> [Int] {
        var ends: [Int] = []
        var end = 0
        while end < count {
            end = min(count, end + 1 + number(upTo: most - 1))
            ends.append(end)
        }
        return ends
    }
}

extension Span<UInt8> {
    /// A copy.
    var bytes: [UInt8] { indices.map { self[$0] } }
}
