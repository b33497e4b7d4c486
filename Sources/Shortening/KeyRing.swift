// The live keys in memory, so that an add costs no look-up in the store. Read again when the store says that the set may
// have changed; a key that a command revokes is refused within 200 ms.
internal import Synchronization
internal import Telemetry

/// Finds the key that a secret belongs to. Any thread.
package final class KeyRing: Sendable {
    private struct Contents {
        var generation: UInt32?
        var keys: [[UInt8]: APIKey] = [:]
    }

    private let store: any LinkStore
    private let contents = Lock(Contents())

    package init(store: any LinkStore) { self.store = store }

    /// Reads the keys if they may have changed; blocks while it does. Throws when the store cannot be read.
    package func refresh() throws(StoreError) {
        let current = store.generations.keys.load(ordering: .acquiring)
        guard contents.withLock({ $0.generation }) != current else { return }
        let keys = try store.liveKeys()
        contents.withLock { contents in
            // Another thread may have read later and been quicker; what it wrote is newer.
            if let generation = contents.generation, Int32(bitPattern: generation &- current) > 0 { return }
            contents = Contents(generation: current, keys: Dictionary(keys.map { ($0.digest, $0) }) { first, _ in first })
        }
    }

    /// Whether `key(for:)` would answer from what is current, without reading the store.
    package var isFresh: Bool {
        contents.withLock { $0.generation } == store.generations.keys.load(ordering: .acquiring)
    }

    /// The live key whose secret this is, or nil. The secret is hashed first, so that the time of the look-up tells nothing
    /// about it.
    package func key(for secret: String) -> APIKey? {
        let digest = KeySecret.digest(ofPresented: Array(secret.utf8))
        guard let key = contents.withLock({ $0.keys[digest.bytes] }), SHA256Digest(stored: key.digest) == digest else {
            return nil
        }
        return key
    }
}
