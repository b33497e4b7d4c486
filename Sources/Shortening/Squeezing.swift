// Squeezing: adding for whoever has a long URL and wants a short one, always the same, without a thought for slugs. Asking again
// changes nothing, so that a client may repeat itself as often as it likes.

extension Shortener {
    /// The short URL of a long one in an account, made where the account has none yet; `done` gets it once it is on the disk, on any
    /// thread. The scheme may be left out (`LongURL(kindly:)`). Which long URLs are the same is decided by their stored bytes.
    ///
    /// A URL of this service that follows a live link, whoever's, is short already and comes back as it is. Any other URL of this
    /// service is refused as `ownURL`: a page is nothing to shorten, and one that names no live link would lead nowhere.
    package func squeeze(
        _ text: String, owner: AccountID, done: @escaping @Sendable (Result<String, AddError>) -> Void
    ) {
        let longURL: LongURL
        do throws(LongURLError) {
            longURL = try LongURL(kindly: text, limit: rules.urlLimit)
        } catch {
            return done(.failure(.longURL(error)))
        }
        if rules.isOwn(longURL) { return passOwn(longURL, done: done) }
        let link = NewLink(slug: .generated(rules.generator), longURL: longURL, owner: owner, isSqueezed: true)
        store.add(link) { [rules] outcome in
            switch outcome {
            case .success(.added(let slug, _)), .success(.existing(let slug, _)): done(.success(rules.shortURL(slug)))
            // Only a chosen slug can be taken.
            case .success(.taken): done(.failure(.store(.failed("a generated slug was taken"))))
            case .failure(let error): done(.failure(.store(error)))
            }
        }
    }

    private func passOwn(_ longURL: LongURL, done: @escaping @Sendable (Result<String, AddError>) -> Void) {
        let refusal = AddError.ownURL(rules.publicURL)
        guard let slug = rules.slug(in: longURL) else { return done(.failure(refusal)) }
        find([slug]) { outcome in
            switch outcome {
            case .success(let targets): done(targets[0] == nil ? .failure(refusal) : .success(longURL.text))
            case .failure(let error): done(.failure(.store(error)))
            }
        }
    }
}

extension ShorteningRules {
    /// The slug that a URL of this service asks for, however it is spelt; nil where its path can name none. The host is not looked
    /// at (`isOwn`), and whether there is such a link neither.
    package func slug(in longURL: LongURL) -> Slug? {
        let base = LongURL(stored: publicURL + "/")
        guard let start = base.path, let path = longURL.path, path.starts(with: start) else { return nil }
        var name = path.dropFirst(start.count)
        // `/slug/` is `/slug`.
        if name.last == UInt8(ascii: "/") { name.removeLast() }
        return Slug(path: PercentEncoding.decode(name).span, limit: Slug.longest)
    }
}

extension LongURL {
    /// As a browser asks for it, without dot segments, query and fragment.
    fileprivate var path: ArraySlice<UInt8>? {
        guard let record = try? URLRecord(parsing: URLRecord.cleaned(text.utf8)) else { return nil }
        return record.tail.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }
}
