// Who may add links: accounts and the keys that stand for them. Secrets themselves are never kept.

/// An account's row number in the store.
package struct AccountID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// An API key as the store keeps it: the digest of its secret, never the secret.
package struct APIKey: Sendable {
    /// The row number in the store; what `key revoke` names.
    package let id: Int64
    package let account: AccountID
    package let accountName: String
    /// What the owner calls it; empty where nothing was said.
    package let label: String
    /// SHA-256 of the secret's canonical bytes, 32 bytes (`KeySecret`).
    package let digest: [UInt8]
    /// Seconds since 1970, UTC.
    package let created: Int64
    /// When it was ended, in the same seconds; nil while it is live.
    package let revoked: Int64?

    package init(
        id: Int64, account: AccountID, accountName: String, label: String, digest: [UInt8], created: Int64,
        revoked: Int64? = nil
    ) {
        self.id = id
        self.account = account
        self.accountName = accountName
        self.label = label
        self.digest = digest
        self.created = created
        self.revoked = revoked
    }
}
