// Following slugs: at once when the cache knows them, else by one question to the store for all the misses of a loop's turn.
internal import HTTP
internal import Shortening

/// One loop's redirects. On that loop's thread only.
final class RedirectDesk: @unchecked Sendable {
    // Sendable by hand: it goes to the store's thread and comes back to the loop's without being touched on the way.

    private struct Waiting: Sendable {
        let slug: Slug
        let ticket: Ticket
        /// HEAD is not a visit.
        let isVisit: Bool
        let wantsJSON: Bool
    }

    /// Looked up on the loop in one turn, at some 5 µs each and several times that while the log is long: warm links must not wait long
    /// behind them.
    private static let mostAtOnce = 64

    private let services: Services
    private let cache: HotCache
    private let redirect: PreparedRedirect
    private var waiting: [Waiting] = []

    init(_ services: Services) {
        self.services = services
        cache = services.shortener.cache
        redirect = PreparedRedirect(
            status: services.options.redirectStatus, cacheControl: services.options.redirectCacheControl)
    }

    /// Somebody may be about to ask for a slug.
    func expect(_ slug: Span<UInt8>) { cache.expect(slug) }

    /// Answers a GET or HEAD for a slug's bytes.
    func follow(_ slug: Span<UInt8>, _ request: borrowing Request, _ answer: inout Answer) {
        // Not `==`, which another module's type would have to be asked for at run time.
        let isVisit = if case .get = request.method { true } else { false }
        let known = cache.lookUp(slug, counting: isVisit) { location in answer.send(redirect, location: location) }
        switch known {
        case .found: return
        case .absent: answer.send(services.pages.notFound(request))
        case .unknown:
            // Any slug that was ever stored must be found, also when the limit for new ones is lower now.
            guard let slug = Slug(path: slug, limit: Slug.longest) else {
                return answer.send(services.pages.notFound(request))
            }
            waiting.append(
                Waiting(slug: slug, ticket: answer.later(), isVisit: isVisit, wantsJSON: Pages.prefersJSON(request)))
        }
    }

    /// Looks up the turn's misses: here what the store has in memory, and the rest on a thread of the store, all together.
    func askStore() {
        guard !waiting.isEmpty else { return }
        let batch = waiting
        waiting.removeAll(keepingCapacity: true)
        let targets = services.shortener.findAtOnce(batch.prefix(Self.mostAtOnce).map(\.slug))
        for (waiting, target) in zip(batch, targets) { answer(waiting, target) }
        // An answer lets its connection's next request in, which may be a miss too: that one waits, or one client could keep the turn.
        let rest = batch[targets.count...] + waiting
        waiting.removeAll(keepingCapacity: true)
        if let loop = rest.first?.ticket.loop { askStore(rest, loop) }
    }

    private func askStore(_ batch: ArraySlice<Waiting>, _ loop: EventLoop) {
        services.shortener.find(batch.map(\.slug)) { [self] outcome in
            // One message to the loop for the whole batch.
            loop.post { self.answer(batch, outcome) }
        }
    }

    private func answer(_ batch: ArraySlice<Waiting>, _ outcome: Result<[Target?], StoreError>) {
        for (index, waiting) in batch.enumerated() {
            switch outcome {
            case .success(let targets): answer(waiting, targets[index])
            case .failure(let error): waiting.ticket.answer(services.pages.storeFailed(error, wantsJSON: waiting.wantsJSON))
            }
        }
    }

    private func answer(_ waiting: Waiting, _ target: Target?) {
        guard let target else {
            return waiting.ticket.answer(services.pages.notFound(wantsJSON: waiting.wantsJSON))
        }
        if waiting.isVisit { cache.count(waiting.slug, target.id) }
        waiting.ticket.answer(redirect, location: target.longURL.text)
    }
}
