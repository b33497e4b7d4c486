// A store in memory, for tests of what stands on a store: quick, and failing on request. It keeps to the contract of
// `LinkStore` but for durability; the order of its answers is that of the calls.
internal import Dispatch
package import Shortening
internal import Synchronization
internal import Telemetry

package final class MemoryStore: LinkStore {
    private struct Contents {
        var links: [Link] = []
        var keys: [APIKey] = []
        var clicks: [LinkID: Int] = [:]
        var failure: StoreError?
        var failuresLeft = 0
        var successesLeft = 0
        var reads = 0
        var records = 0

        /// What this call is to fail with.
        mutating func nextFailure() -> StoreError? {
            guard let failure, failuresLeft > 0 else { return nil }
            guard successesLeft == 0 else {
                successesLeft -= 1
                return nil
            }
            failuresLeft -= 1
            return failure
        }
    }

    package let healthGate = HealthGate()
    package let generations = Generations()
    private let contents = Lock(Contents())
    private let queue = DispatchQueue(label: "test.store")

    package init() {}

    // MARK: For tests

    /// Fails the next calls, or those behind so many, all of them unless said otherwise; nil ends that.
    package func fail(_ error: StoreError?, after successes: Int = 0, times: Int = .max) {
        contents.withLock { contents in
            contents.failure = error
            contents.successesLeft = successes
            contents.failuresLeft = times
        }
    }

    /// How many times slugs or listings were asked for.
    package var reads: Int { contents.withLock { $0.reads } }

    /// How many times visits were brought.
    package var records: Int { contents.withLock { $0.records } }

    package var clicks: [LinkID: Int] { contents.withLock { $0.clicks } }

    package var links: [Link] { contents.withLock { $0.links } }

    /// Makes a secret a live key of account 1.
    package func addKey(_ secret: String) {
        contents.withLock { contents in
            let id = Int64(contents.keys.count + 1)
            let digest = KeySecret.digest(ofPresented: Array(secret.utf8)).bytes
            contents.keys.append(
                APIKey(id: id, account: AccountID(rawValue: 1), accountName: "a", label: "", digest: digest, created: 0))
        }
        generations.keys.wrappingAdd(1, ordering: .releasing)
    }

    package func removeKeys() {
        contents.withLock { $0.keys = [] }
        generations.keys.wrappingAdd(1, ordering: .releasing)
    }

    /// Keeps the store from answering until `release` is called; for calls that answer later.
    package func hold() { queue.suspend() }

    package func release() { queue.resume() }

    // MARK: LinkStore

    /// Nothing: the order of its answers is that of the calls.
    package func findTargetsAtOnce(_ slugs: [Slug]) -> [Target?] { [] }

    package func findTargets(_ slugs: [Slug], done: @escaping @Sendable (Result<[Target?], StoreError>) -> Void) {
        answer(done) { contents in
            contents.reads += 1
            return slugs.map { slug in
                contents.links.first { $0.slug == slug }.map { Target(id: $0.id, longURL: $0.longURL) }
            }
        }
    }

    package func add(_ link: NewLink, done: @escaping @Sendable (Result<AddOutcome, StoreError>) -> Void) {
        answer(done) { [generations] contents in
            if link.isSqueezed,
                let old = contents.links.first(where: { $0.longURL == link.longURL && $0.owner == link.owner })
            {
                return .existing(old.slug, old.id)
            }
            var slug: Slug
            switch link.slug {
            case .chosen(let chosen):
                slug = chosen
                if contents.links.contains(where: { $0.slug == slug }) { return .taken }
            case .generated(let generator):
                repeat { slug = generator.slug(attempt: 0) } while contents.links.contains { $0.slug == slug }
            }
            let id = LinkID(rawValue: Int64(contents.links.count + 1))
            contents.links.append(
                Link(
                    id: id, slug: slug, longURL: link.longURL, title: link.title, created: 0, owner: link.owner,
                    isListed: link.isListed, clicks: 0))
            generations.advance(slug)
            return .added(slug, id)
        }
    }

    package func remove(_ slug: Slug, done: @escaping @Sendable (Result<Bool, StoreError>) -> Void) {
        answer(done) { [generations] contents in
            let count = contents.links.count
            contents.links.removeAll { $0.slug == slug }
            generations.advance(slug)
            return contents.links.count < count
        }
    }

    package func record(_ clicks: [ClickCount], done: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        contents.withLock { $0.records += 1 }
        answer(done) { contents in
            for count in clicks { contents.clicks[count.link, default: 0] += Int(count.visits) }
        }
    }

    package func links(_ filter: LinkFilter, after: LinkID?, limit: Int) throws(StoreError) -> LinkPage {
        try read { contents in
            contents.reads += 1
            let all = contents.links.filter { link in
                guard link.id > after ?? LinkID(rawValue: 0) else { return false }
                return switch filter {
                case .all: true
                case .listed: link.isListed
                case .owned(let owner), .squeezed(let owner): link.owner == owner
                }
            }
            let page = Array(all.prefix(limit))
            return LinkPage(links: page, next: all.count > limit ? page.last?.id : nil)
        }
    }

    package func squeezedLink(_ count: Int, of account: AccountID) throws(StoreError) -> LinkID? {
        let page = try links(.squeezed(account), after: nil, limit: count)
        return page.links.count == count ? page.links.last?.id : nil
    }

    package func link(_ slug: Slug) throws(StoreError) -> Link? {
        try read { contents in contents.links.first { $0.slug == slug } }
    }

    package func liveKeys() throws(StoreError) -> [APIKey] { try read { $0.keys } }

    package func checkHealth() throws(StoreError) {
        healthGate.pass()
        try read { _ in }
    }

    private func read<Value>(_ body: (inout Contents) -> Value) throws(StoreError) -> Value {
        try contents.withLock { contents throws(StoreError) in
            if let failure = contents.nextFailure() { throw failure }
            return body(&contents)
        }
    }

    private func answer<Value: Sendable>(
        _ done: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ body: @escaping @Sendable (inout Contents) -> Value
    ) {
        queue.async { [contents] in
            done(
                contents.withLock { contents in
                    if let failure = contents.nextFailure() { return .failure(failure) }
                    return .success(body(&contents))
                })
        }
    }
}
