// Who may pass: checks a secret against the live keys, and brakes whoever sends wrong ones.
internal import Dispatch
internal import HTTP
internal import Shortening

/// What came of a key.
enum KeyVerdict: Sendable {
    case right(APIKey)
    /// None was sent; not counted.
    case missing
    case wrong
    /// Wrong, and too often; the seconds to wait.
    case tooMany(seconds: Int)
    /// The keys could not be read.
    case failed(StoreError)
}

/// The check of keys for all dialects. Any loop.
struct KeyGate: Sendable {
    private let services: Services

    init(_ services: Services) { self.services = services }

    /// Checks a secret. `done` is called at once where the keys in memory are fresh, else on another thread after they were
    /// read again.
    func check(_ secret: String?, from client: ClientAddress, done: @escaping @Sendable (KeyVerdict) -> Void) {
        guard let secret else { return done(.missing) }
        if services.keys.isFresh { return done(verdict(secret, client)) }
        DispatchQueue.global().async {
            do throws(StoreError) {
                try services.keys.refresh()
                done(verdict(secret, client))
            } catch {
                done(.failed(error))
            }
        }
    }

    private func verdict(_ secret: String, _ client: ClientAddress) -> KeyVerdict {
        if let key = services.keys.key(for: secret) { return .right(key) }
        if let seconds = services.brake.countWrong(client) { return .tooMany(seconds: seconds) }
        return .wrong
    }
}
