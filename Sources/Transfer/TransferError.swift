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
    /// Strict, and the input holds so many rows that could not be stored as they stand. Nothing was stored.
    case refused(rows: Int)

    package var message: String {
        switch self {
        case .input(let text), .output(let text), .scratch(let text): text
        case .store(let error): error.message
        case .refused(let rows):
            "\(rows) \(rows == 1 ? "row" : "rows") cannot be stored as they stand, so nothing was stored (--strict)."
        }
    }
}
