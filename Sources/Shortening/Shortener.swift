// The use cases of the shortener, for every front end: following a slug, adding a link. Front ends decode and encode; what
// is allowed is decided here and nowhere else.

/// What holds for every way of adding.
package struct ShorteningRules: Sendable {
    /// Characters of a chosen slug, 1 to 45.
    package var slugLimit = Slug.longest
    /// Characters of a stored long URL, up to 8,000.
    package var urlLimit = 500
    package var reserved: ReservedNames
    package var generator: SlugGenerator
    /// Short URLs are this, a slash and the slug: `https://s.example`, without a slash at its end.
    package let publicURL: String
    /// The host of `publicURL`; empty where it has none.
    private let ownHost: [UInt8]

    package init(reserved: ReservedNames, generator: SlugGenerator, publicURL: String) {
        self.reserved = reserved
        self.generator = generator
        self.publicURL = publicURL
        ownHost = Array((LongURL(stored: publicURL + "/").endpoint?.host ?? "").utf8)
    }

    package func shortURL(_ slug: Slug) -> String { publicURL + "/" + slug.text }

    /// Whether a long URL leads to this service itself, so that following it would come back here.
    package func isOwn(_ longURL: LongURL) -> Bool {
        let text = longURL.text.utf8Span.span
        if let host = LongURL.plainHost(in: text), !isOwn(plainHost: text.extracting(host)) { return false }
        return longURL.leads(to: LongURL(stored: publicURL + "/"))
    }

    /// Whether a plain domain is this service's; whether its port is too is then for `isOwn` to find out.
    func isOwn(plainHost host: Span<UInt8>) -> Bool {
        guard host.count == ownHost.count else { return false }
        // Letters in either case; the other characters of a domain keep their bit 5 set.
        for index in host.indices where host[index] | 0x20 != ownHost[index] | 0x20 { return false }
        return true
    }
}

/// Why a link was not added.
package enum AddError: Error, Sendable {
    case slug(SlugError)
    case longURL(LongURLError)
    case title(TitleError)
    /// The long URL is one of this service's own.
    case ownURL(String)
    case taken(Slug)
    case store(StoreError)

    /// What was wrong, which value, and what to do.
    package var message: String {
        switch self {
        case .slug(let error): error.message
        case .longURL(let error): error.message
        case .title(let error): error.message
        case .ownURL(let service): "The long URL is itself at \(service); give the address that it finally leads to."
        case .taken(let slug): "The slug \"\(slug.text)\" is taken; choose another."
        case .store(let error): error.message
        }
    }
}

extension StoreError {
    /// For whoever sent the request: what holds now and what to do. Paths and the library's words stay in the log.
    package var message: String {
        switch self {
        case .busy: "The store is busy; try again in a moment."
        case .full: "The store's disk is full; nothing was stored."
        case .readOnly: "The store cannot be written at present; nothing was stored."
        case .displaced: "A file of the store was moved, replaced or cut while it was in use; nothing was stored."
        case .closed: "The service is stopping; try again in a moment."
        case .unusable, .failed: "The store is out of order; nothing was stored."
        }
    }
}

/// The shortener. Any thread; nothing here blocks.
package final class Shortener: Sendable {
    package let rules: ShorteningRules
    package let store: any LinkStore
    package let cache: HotCache

    package init(store: any LinkStore, cache: HotCache, rules: ShorteningRules) {
        self.store = store
        self.cache = cache
        self.rules = rules
    }

    /// Asks the store for slugs that the cache does not know, all in one read, and lets the cache remember the answers. `done`
    /// is called on a thread of the store.
    package func find(_ slugs: [Slug], done: @escaping @Sendable (Result<[Target?], StoreError>) -> Void) {
        // Before the read: a write that comes in between makes the remembered answer stale, never the reverse.
        let generations = slugs.map { store.generations.generation(of: $0) }
        store.findTargets(slugs) { [cache] outcome in
            if case .success(let targets) = outcome {
                for (index, target) in targets.enumerated() {
                    cache.insert(slugs[index], target, generation: generations[index])
                }
            }
            done(outcome)
        }
    }

    /// What `find` would say of the first of these slugs, as far as the store can tell without waiting; the cache remembers it.
    /// On this thread, which may be an event loop's.
    package func findAtOnce(_ slugs: [Slug]) -> [Target?] {
        let generations = slugs.map { store.generations.generation(of: $0) }
        let targets = store.findTargetsAtOnce(slugs)
        for (index, target) in targets.enumerated() {
            cache.insert(slugs[index], target, generation: generations[index])
        }
        return targets
    }

    /// A link that somebody asks for, before it is looked at.
    package struct Wish: Sendable {
        package var longURL: String
        /// Nil for a generated one.
        package var slug: String?
        package var title: String?
        package var isListed = false

        package init(longURL: String, slug: String? = nil, title: String? = nil, isListed: Bool = false) {
            self.longURL = longURL
            self.slug = slug
            self.title = title
            self.isListed = isListed
        }
    }

    /// Checks a wish and stores it. `done` gets the slug once it is on the disk, or why not; on any thread.
    package func add(
        _ wish: Wish, owner: AccountID?, done: @escaping @Sendable (Result<Slug, AddError>) -> Void
    ) {
        let link: NewLink
        do throws(AddError) {
            link = try rules.check(wish, owner: owner)
        } catch {
            return done(.failure(error))
        }
        store.add(link) { outcome in
            switch outcome {
            case .success(.added(let slug, _)), .success(.existing(let slug, _)): done(.success(slug))
            case .success(.taken): done(.failure(.taken(Slug(stored: wish.slug ?? ""))))
            case .failure(let error): done(.failure(.store(error)))
            }
        }
    }
}

extension ShorteningRules {
    /// The link that a wish makes, or what is wrong with it.
    package func check(_ wish: Shortener.Wish, owner: AccountID?) throws(AddError) -> NewLink {
        var source = NewLink.SlugSource.generated(generator)
        if let chosen = wish.slug {
            do throws(SlugError) {
                source = .chosen(try Slug(chosen, limit: slugLimit, reserved: reserved))
            } catch {
                throw .slug(error)
            }
        }
        let longURL: LongURL
        do throws(LongURLError) {
            longURL = try LongURL(wish.longURL, limit: urlLimit)
        } catch {
            throw .longURL(error)
        }
        if let title = wish.title {
            do throws(TitleError) {
                try TitleError.check(title.utf8Span.span)
            } catch {
                throw .title(error)
            }
        }
        guard !isOwn(longURL) else { throw .ownURL(publicURL) }
        return NewLink(slug: source, longURL: longURL, title: wish.title, owner: owner, isListed: wish.isListed)
    }
}
