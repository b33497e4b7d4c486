// What every store has to keep. Each rule gets a store of its own, empty and open; a new kind of store is held to them by
// one test that runs them all.
import Shortening
import Synchronization
import Testing

/// One rule of the contract. Fails by Swift Testing's expectations.
struct LinkStoreRule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (any LinkStore & AccountStore) async throws -> Void

    static let all: [LinkStoreRule] = links + squeezed + clicks + listings + accounts

    private static let links: [LinkStoreRule] = [
        LinkStoreRule(testDescription: "a link is found by its slug, exactly as it was given") { store in
            try await store.adding("talk", "https://example.com/?a=1+2&b=%2B")
            #expect(try await store.url("talk") == "https://example.com/?a=1+2&b=%2B")
            #expect(try await store.url("Talk") == nil)
            #expect(try await store.url("tal") == nil)
        },
        LinkStoreRule(testDescription: "a batch is answered in its order, gaps and repetitions included") { store in
            try await store.adding("a", "https://a.example/")
            try await store.adding("b", "https://b.example/")
            let found = try await store.targets(["b", "none", "a", "b"]).map { $0?.longURL.text }
            #expect(found == ["https://b.example/", nil, "https://a.example/", "https://b.example/"])
            #expect(try await store.targets([]).isEmpty)
        },
        LinkStoreRule(testDescription: "of 20 adds of one slug at once exactly one goes in") { store in
            let added = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<20 {
                    let url = "https://example.com/\(number)"
                    group.addTask { if case .added = try await store.adding(chosen("one", url)) { url } else { nil } }
                }
                return try await group.reduce(into: [String]()) { if let url = $1 { $0.append(url) } }
            }
            #expect(added.count == 1)
            #expect(try await store.url("one") == added.first)
        },
        LinkStoreRule(testDescription: "200 generated slugs at once are 200, each leading to its own URL") { store in
            let slugs = try await withThrowingTaskGroup(of: (String, String)?.self) { group in
                for number in 0..<200 {
                    let url = "https://example.com/\(number)"
                    group.addTask {
                        guard case .added(let slug, _) = try await store.adding(generated(url)) else { return nil }
                        return (slug.text, url)
                    }
                }
                return try await group.reduce(into: [String: String]()) { if let (slug, url) = $1 { $0[slug] = url } }
            }
            #expect(slugs.count == 200)
            for (slug, url) in slugs { #expect(try await store.url(slug) == url) }
        },
        LinkStoreRule(testDescription: "slugs are generated until the index takes one, longer when the space is full") {
            store in
            var slugs: Set<String> = []
            for number in 0..<120 {
                // There are 56 slugs of one character.
                guard
                    case .added(let slug, _) = try await store.adding(generated("https://example.com/\(number)", length: 1))
                else { continue }
                slugs.insert(slug.text)
            }
            #expect(slugs.count == 120)
        },
        LinkStoreRule(testDescription: "a removed link is found no more, and removed only once") { store in
            try await store.adding("gone", "https://example.com/")
            #expect(try await store.removing("gone"))
            #expect(try await !store.removing("gone"))
            #expect(try await !store.removing("never"))
            #expect(try await store.url("gone") == nil)
            #expect(try store.link(Slug(stored: "gone")) == nil)
            #expect(try store.walk(.all).isEmpty)
        },
        LinkStoreRule(testDescription: "a removed link's slug is never generated again") { store in
            // All slugs of one character are used and removed; none may come back.
            var first: Set<String> = []
            for _ in 0..<150 {
                guard case .added(let slug, _) = try await store.adding(generated("https://example.com/", length: 1)) else {
                    continue
                }
                #expect(first.insert(slug.text).inserted, "\(slug.text) came twice")
                #expect(try await store.removing(slug.text))
            }
            #expect(first.count == 150)
        },
        LinkStoreRule(testDescription: "a removed slug can be chosen again, under a new id and without the old clicks") {
            store in
            let old = try await store.adding("again", "https://old.example/")
            try await store.recording([ClickCount(link: old, visits: 7)])
            _ = try await store.removing("again")
            let new = try await store.adding("again", "https://new.example/")
            #expect(new > old)
            #expect(try await store.url("again") == "https://new.example/")
            #expect(try store.link(Slug(stored: "again"))?.clicks == 0)
            guard case .taken = try await store.adding(chosen("again")) else {
                Issue.record("a live slug was taken over")
                return
            }
        },
        LinkStoreRule(testDescription: "each add of a crowd has its own outcome") { store in
            try await store.adding("held", "https://example.com/")
            let outcomes = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let slug = number % 3 == 0 ? "held" : "free\(number)"
                        if case .added = try await store.adding(chosen(slug)) { return (number, true) }
                        return (number, false)
                    }
                }
                return try await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
            }
            #expect(outcomes.count == 300)
            for (number, isAdded) in outcomes { #expect(isAdded == (number % 3 != 0)) }
        },
        LinkStoreRule(testDescription: "the generation of a slug has moved when its change is answered") { store in
            let slug = Slug(stored: "fresh")
            let start = store.generations.generation(of: slug)
            let afterAdd = await withCheckedContinuation { caller in
                store.add(chosen("fresh")) { _ in caller.resume(returning: store.generations.generation(of: slug)) }
            }
            #expect(afterAdd != start)
            let afterTaken = await withCheckedContinuation { caller in
                store.add(chosen("fresh")) { _ in caller.resume(returning: store.generations.generation(of: slug)) }
            }
            #expect(afterTaken == afterAdd, "nothing changed")
            let afterRemoval = await withCheckedContinuation { caller in
                store.remove(slug) { _ in caller.resume(returning: store.generations.generation(of: slug)) }
            }
            #expect(afterRemoval != afterAdd)
        },
    ]

    private static let clicks: [LinkStoreRule] = [
        LinkStoreRule(testDescription: "clicks add up, those of one link in one call too") { store in
            let a = try await store.adding("a", "https://a.example/")
            let b = try await store.adding("b", "https://b.example/")
            try await store.recording([
                ClickCount(link: b, visits: 2), ClickCount(link: a, visits: 1), ClickCount(link: b, visits: 300),
            ])
            try await store.recording([ClickCount(link: a, visits: .max)])
            try await store.recording([])
            #expect(try store.link(Slug(stored: "a"))?.clicks == 1 + Int64(UInt32.max))
            #expect(try store.walk(.all).map(\.clicks) == [1 + Int64(UInt32.max), 302])
        }
    ]

    private static let listings: [LinkStoreRule] = [
        LinkStoreRule(testDescription: "a link comes back with all its fields") { store in
            guard let key = try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1])) else { return }
            let link = NewLink(
                slug: .chosen(Slug(stored: "whole")), longURL: LongURL(stored: "https://example.com/"),
                title: "Ein Titel ☃",
                owner: key.account, isListed: true)
            guard case .added(let slug, let id) = try await store.adding(link) else { return }
            let found = try #require(try store.link(slug))
            #expect(found.id == id)
            #expect(found.slug.text == "whole")
            #expect(found.longURL.text == "https://example.com/")
            #expect(found.title == "Ein Titel ☃")
            #expect(found.owner == key.account)
            #expect(found.isListed)
            #expect(found.clicks == 0)
            #expect(found.created > 1_700_000_000)
            try await store.adding("bare", "https://example.com/")
            let bare = try #require(try store.link(Slug(stored: "bare")))
            #expect(bare.title == nil && bare.owner == nil && !bare.isListed)
        },
        LinkStoreRule(testDescription: "a listing shows each wanted link once, in order, whatever the page size") { store in
            let ann = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1])))
            for number in 0..<50 {
                try await store.adding(
                    "s\(number)", "https://example.com/\(number)", owner: number % 5 == 0 ? ann.account : nil,
                    isListed: number % 2 == 0)
            }
            _ = try await store.removing("s10")
            let all = (0..<50).filter { $0 != 10 }
            for limit in [1, 7, 49, 50, 1000] {
                #expect(try store.walk(.all, limit: limit).map(\.slug.text) == all.map { "s\($0)" })
                #expect(
                    try store.walk(.listed, limit: limit).map(\.slug.text) == all.filter { $0 % 2 == 0 }.map { "s\($0)" })
                #expect(
                    try store.walk(.owned(ann.account), limit: limit).map(\.slug.text)
                        == all.filter { $0 % 5 == 0 }.map { "s\($0)" })
            }
            #expect(try store.links(.all, after: nil, limit: 7).links.count == 7)
        },
        LinkStoreRule(testDescription: "a walk through the pages while links come and go sees each staying link once") {
            store in
            for number in 0..<200 { try await store.adding("stay\(number)", "https://example.com/") }
            let changes = Task {
                for number in 0..<100 {
                    try await store.adding("new\(number)", "https://example.com/")
                    if number % 2 == 0 { _ = try await store.removing("new\(number)") }
                }
            }
            for _ in 0..<5 {
                let seen = try store.walk(.all, limit: 10).map(\.slug.text)
                #expect(Set(seen).count == seen.count)
                #expect(seen.filter { $0.hasPrefix("stay") } == (0..<200).map { "stay\($0)" })
            }
            try await changes.value
        },
    ]

    private static let accounts: [LinkStoreRule] = [
        LinkStoreRule(testDescription: "keys belong to an account, which is made once") { store in
            let first = try #require(try store.createKey(account: "ann", label: "phone", digest: SHA256Digest(of: [1])))
            let second = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [2])))
            let other = try #require(try store.createKey(account: "bob", label: "", digest: SHA256Digest(of: [3])))
            #expect(first.account == second.account)
            #expect(first.account != other.account)
            let keys = try store.liveKeys()
            #expect(keys.map(\.id) == [first.id, second.id, other.id])
            #expect(keys.map(\.accountName) == ["ann", "ann", "bob"])
            #expect(keys.map(\.label) == ["phone", "", ""])
            #expect(keys[0].digest == SHA256Digest(of: [1]).bytes)
            #expect(keys[0].revoked == nil)
        },
        LinkStoreRule(testDescription: "a live secret leads to one account, a revoked one may be given out anew") { store in
            let key = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1])))
            #expect(try store.createKey(account: "bob", label: "", digest: SHA256Digest(of: [1])) == nil)
            #expect(try store.revokeKey(key.id))
            #expect(try !store.revokeKey(key.id))
            #expect(try !store.revokeKey(999))
            #expect(try store.liveKeys().isEmpty)
            #expect(try store.keys(includeRevoked: true).map { $0.revoked != nil } == [true])
            #expect(try store.createKey(account: "bob", label: "", digest: SHA256Digest(of: [1])) != nil)
        },
        LinkStoreRule(testDescription: "the keys' generation has moved when a change of them is answered") { store in
            let start = store.generations.keys.load(ordering: .acquiring)
            let key = try #require(try store.createKey(account: "ann", label: "", digest: SHA256Digest(of: [1])))
            let afterMaking = store.generations.keys.load(ordering: .acquiring)
            #expect(afterMaking != start)
            _ = try store.revokeKey(key.id)
            #expect(store.generations.keys.load(ordering: .acquiring) != afterMaking)
        },
        LinkStoreRule(testDescription: "a store that works is healthy") { store in try store.checkHealth() },
    ]
}
