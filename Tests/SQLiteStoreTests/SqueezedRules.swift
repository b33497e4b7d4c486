// What every store has to keep of squeezed links: one an account and long URL, decided by the store.
import Shortening
import Testing

/// A link to be squeezed; its slug is generated unless given.
private func squeezing(_ url: String, _ owner: AccountID?, as slug: String? = nil) -> NewLink {
    var source = NewLink.SlugSource.generated(SlugGenerator(length: 6, reserved: ReservedNames([])))
    if let slug { source = .chosen(Slug(stored: slug)) }
    return NewLink(slug: source, longURL: LongURL(stored: url), owner: owner, isSqueezed: true)
}

private func accounts(_ store: any AccountStore) throws -> (ann: AccountID, bob: AccountID) {
    let ann = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1])))
    let bob = try #require(try store.createKey(account: "bob", label: "", digest: SHA256Digest(of: [2])))
    return (ann.account, bob.account)
}

extension LinkStoreRule {
    static let squeezed: [LinkStoreRule] = [
        LinkStoreRule(testDescription: "a long URL is squeezed once by each account") { store in
            let (ann, bob) = try accounts(store)
            let url = "https://example.com/"
            guard case .added(let slug, let id) = try await store.adding(squeezing(url, ann)) else {
                throw Unexpected.taken(url)
            }
            for again in [squeezing(url, ann), squeezing(url, ann, as: "new"), squeezing(url, ann, as: slug.text)] {
                guard case .existing(slug, id) = try await store.adding(again) else { throw Unexpected.taken("again") }
            }
            #expect(try await store.url("new") == nil)
            let others = [
                squeezing(url, bob), squeezing(url + "?", ann), squeezing(url, nil), squeezing(url, nil),
                NewLink(slug: .chosen(Slug(stored: "own")), longURL: LongURL(stored: url), owner: ann),
            ]
            for other in others {
                guard case .added(let another, _) = try await store.adding(other) else { throw Unexpected.taken("other") }
                #expect(another != slug)
            }
        },
        LinkStoreRule(testDescription: "of 20 that squeeze one URL at once one stores, and all get its slug") { store in
            let (ann, _) = try accounts(store)
            let outcomes = try await withThrowingTaskGroup(of: AddOutcome.self) { group in
                for _ in 0..<20 { group.addTask { try await store.adding(squeezing("https://example.com/", ann)) } }
                return try await group.reduce(into: [AddOutcome]()) { $0.append($1) }
            }
            var added = 0
            var slugs: Set<Slug> = []
            for outcome in outcomes {
                switch outcome {
                case .added(let slug, _):
                    added += 1
                    slugs.insert(slug)
                case .existing(let slug, _): slugs.insert(slug)
                case .taken: Issue.record("a generated slug was taken")
                }
            }
            #expect(added == 1)
            #expect(slugs.count == 1)
            #expect(try store.walk(.all).map(\.slug) == Array(slugs))
        },
        LinkStoreRule(testDescription: "a removed one is squeezed anew") { store in
            let (ann, _) = try accounts(store)
            let url = "https://example.com/" + String(repeating: "long/", count: 1500)
            guard case .added(let first, _) = try await store.adding(squeezing(url, ann)) else {
                throw Unexpected.taken(url)
            }
            _ = try await store.removing(first.text)
            guard case .added(let second, let id) = try await store.adding(squeezing(url, ann)) else {
                throw Unexpected.taken(first.text)
            }
            #expect(second != first)
            guard case .existing(second, id) = try await store.adding(squeezing(url, ann)) else {
                throw Unexpected.taken(url)
            }
        },
        LinkStoreRule(testDescription: "an account's squeezed links are counted off in order, and listed alone") { store in
            let (ann, bob) = try accounts(store)
            var ids: [LinkID] = []
            for number in 0..<30 {
                let url = "https://example.com/\(29 - number)"
                guard case .added(_, let id) = try await store.adding(squeezing(url, ann, as: "s\(number)")) else {
                    continue
                }
                ids.append(id)
                _ = try await store.adding(squeezing(url, bob))
                try await store.adding("own\(number)", url, owner: ann)
            }
            _ = try await store.removing("s7")
            ids.remove(at: 7)
            for limit in [1, 7, 1000] { #expect(try store.walk(.squeezed(ann), limit: limit).map(\.id) == ids) }
            #expect(try (0...30).map { try store.squeezedLink($0, of: ann) } == [nil] + ids + [nil])
            #expect(try store.squeezedLink(1, of: AccountID(rawValue: 99)) == nil)
        },
        LinkStoreRule(testDescription: "an account is found by its exact name") { store in
            let (ann, bob) = try accounts(store)
            #expect(try store.account(named: "ann") == ann)
            #expect(try store.account(named: "bob") == bob)
            #expect(try store.account(named: "Ann") == nil)
            #expect(try store.account(named: "") == nil)
        },
    ]
}
