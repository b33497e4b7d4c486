// The border between accounts with their keys and their storage. The commands use it while a daemon may be running.

/// Accounts with their passwords and API keys. Every call may come from any thread, blocks until it is done, and must not be made on an event
/// loop.
package protocol AccountStore: AnyObject, Sendable {
    /// Stores a key of the account with this name, making the account where there is none. nil when a live key has the
    /// same digest already; then nothing is stored.
    func createKey(account: String, label: String, digest: SHA256Digest) throws(StoreError) -> APIKey?

    /// The account with exactly this name, or nil.
    func account(named name: String) throws(StoreError) -> AccountID?

    /// All keys in the order they were made; without `includeRevoked` only the live ones.
    func keys(includeRevoked: Bool) throws(StoreError) -> [APIKey]

    /// Gives the account of this name a password, making the account where there is none; the old one ends with the call.
    func setPassword(_ hash: PasswordHash, of account: String) throws(StoreError)

    /// The password of the account with this name; nil where there is no such account, or it has none.
    func password(of account: String) throws(StoreError) -> PasswordHash?

    /// Ends a key; false where there is no live one with this number.
    func revokeKey(_ id: Int64) throws(StoreError) -> Bool
}
