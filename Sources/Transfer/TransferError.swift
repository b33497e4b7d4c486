// What can end an import or an export before its time. A bad row does not: it is reported and skipped.
package import Shortening

/// Why an import or an export stopped, in whole sentences for whoever started it.
package enum TransferError: Error, Equatable, Sendable {
    /// The input cannot be read, or is not what it should be. Nothing was stored.
    case input(String)
    /// The output cannot be written.
    case output(String)
    /// Links cannot be put aside while they are sorted.
    case scratch(String)
    /// The store fails. What it has taken before stays, and the same import goes on from there.
    case store(StoreError)
    /// Strict, and the input holds so many rows that could not be stored as they stand, or columns or keys that nobody knows.
    /// Nothing was stored.
    case refused(rows: Int, unknownNames: [String])

    package var message: String {
        switch self {
        case .input(let text), .output(let text), .scratch(let text): text
        case .store(let error): error.message
        case .refused(let rows, let unknownNames): Self.refusal(rows, unknownNames)
        }
    }

    private static func refusal(_ rows: Int, _ unknownNames: [String]) -> String {
        var reasons: [String] = []
        if rows > 0 {
            reasons.append(
                rows == 1 ? "1 row cannot be stored as it stands" : "\(rows) rows cannot be stored as they stand")
        }
        if !unknownNames.isEmpty {
            let isOne = unknownNames.count == 1
            reasons.append(
                "\(unknownNames.joined(separator: ", ")) \(isOne ? "is no name" : "are no names") that an import knows")
        }
        return reasons.joined(separator: ", and ") + ", so nothing was stored (--strict)."
    }
}
