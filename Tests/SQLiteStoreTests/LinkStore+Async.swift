// The stores' calls as tests like to make them.
import Shortening

extension LinkStore {
    func adding(_ link: NewLink) async throws -> AddOutcome {
        try await withCheckedThrowingContinuation { caller in add(link) { caller.resume(with: $0) } }
    }

    /// Adds a link and expects that to go well.
    @discardableResult
    func adding(_ slug: String, _ url: String, owner: AccountID? = nil, isListed: Bool = false) async throws -> LinkID {
        let link = NewLink(
            slug: .chosen(Slug(stored: slug)), longURL: LongURL(stored: url), owner: owner, isListed: isListed)
        guard case .added(_, let id) = try await adding(link) else { throw Unexpected.taken(slug) }
        return id
    }

    func removing(_ slug: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { caller in remove(Slug(stored: slug)) { caller.resume(with: $0) } }
    }

    func recording(_ clicks: [ClickCount]) async throws {
        try await withCheckedThrowingContinuation { caller in record(clicks) { caller.resume(with: $0) } }
    }

    func targets(_ slugs: [String]) async throws -> [Target?] {
        try await withCheckedThrowingContinuation { caller in
            findTargets(slugs.map { Slug(stored: $0) }) { caller.resume(with: $0) }
        }
    }

    /// Where a slug leads, or nil.
    func url(_ slug: String) async throws -> String? { try await targets([slug])[0]?.longURL.text }

    /// All pages of a listing.
    func walk(_ filter: LinkFilter, limit: Int = 1000) throws -> [Link] {
        var links: [Link] = []
        var after: LinkID?
        repeat {
            let page = try self.links(filter, after: after, limit: limit)
            links += page.links
            after = page.next
        } while after != nil
        return links
    }
}

enum Unexpected: Error {
    case taken(String)
    case noDisk
    case noSuchCall
}

func chosen(_ slug: String, _ url: String = "https://example.com/") -> NewLink {
    NewLink(slug: .chosen(Slug(stored: slug)), longURL: LongURL(stored: url))
}

func generated(_ url: String, length: Int = 6) -> NewLink {
    NewLink(slug: .generated(SlugGenerator(length: length, reserved: ReservedNames([]))), longURL: LongURL(stored: url))
}
