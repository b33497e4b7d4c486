// A store in memory has no collections and no passwords: the tests of those use a real one (Tests/CollectionTests).
package import Shortening

extension MemoryStore: CollectionStore {
    package func collection(_ name: CollectionName) -> LinkCollection? { nil }
    package func collections() -> [(collection: LinkCollection, members: Int)] { [] }
    package func members(of collection: LinkCollection.ID, _ filter: EventFilter, after: Int64?, limit: Int) -> MemberPage {
        MemberPage(members: [], next: nil)
    }
    package func drawMembers(_ wishes: [DrawWish], done: @escaping @Sendable (Result<[DrawnLink?], StoreError>) -> Void) {
        done(.success(wishes.map { _ in nil }))
    }
    package func portrait(of link: LinkID, done: @escaping @Sendable (Result<LinkPortrait?, StoreError>) -> Void) {
        done(.success(nil))
    }
    package func createCollection(_ name: CollectionName, isPublic: Bool) -> Bool { false }
    package func removeCollection(_ name: CollectionName) -> Bool { false }
    package func addMember(_ slug: Slug, to name: CollectionName) -> MembershipOutcome { .noCollection }
    package func removeMember(_ slug: Slug, from name: CollectionName) -> Bool { false }
    package func setTags(_ tags: [Tag], of slug: Slug) -> Bool { false }
    package func setDescription(_ text: String?, of slug: Slug) -> Bool { false }
    package func addEvent(_ event: Event, to slug: Slug) -> Bool { false }
}

extension MemoryStore: AccountStore {
    package func createKey(account: String, label: String, digest: SHA256Digest) -> APIKey? { nil }
    package func account(named name: String) -> AccountID? { nil }
    package func keys(includeRevoked: Bool) -> [APIKey] { [] }
    package func setPassword(_ hash: PasswordHash, of account: String) {}
    package func password(of account: String) -> PasswordHash? { nil }
    package func revokeKey(_ id: Int64) -> Bool { false }
}
