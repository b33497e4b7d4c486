// The rules of adding for links that come by the million: the same decisions as `Shortener.check` takes, on bytes, and
// without an allocation for the plain ones. Whatever is not plain goes the way of every other add.

/// Decides whether links may be added. Any thread. A class, so that handing it on copies none of the rules.
package final class LinkCheck: Sendable {
    private let rules: ShorteningRules

    package init(_ rules: ShorteningRules) { self.rules = rules }

    /// Throws where the text is no slug that may be chosen.
    package func checkSlug(_ text: Span<UInt8>) throws(AddError) {
        if Slug.isPlain(text, limit: rules.slugLimit), !rules.reserved.contains(text) { return }
        do throws(SlugError) {
            _ = try Slug(text.text, limit: rules.slugLimit, reserved: rules.reserved)
        } catch {
            throw .slug(error)
        }
    }

    /// The stored form of a long URL, or nil where it is stored as it stands. Throws where it may not be added.
    package func checkLongURL(_ text: Span<UInt8>) throws(AddError) -> LongURL? {
        if text.count <= rules.urlLimit, let host = LongURL.plainHost(in: text),
            !rules.isOwn(plainHost: text.extracting(host))
        {
            return nil
        }
        let longURL: LongURL
        do throws(LongURLError) {
            longURL = try LongURL(text, limit: rules.urlLimit)
        } catch {
            throw .longURL(error)
        }
        guard !rules.isOwn(longURL) else { throw .ownURL(rules.publicURL) }
        return longURL
    }

    /// Throws where the text cannot be a title.
    package func checkTitle(_ text: Span<UInt8>) throws(AddError) {
        do throws(TitleError) {
            try TitleError.check(text)
        } catch {
            throw .title(error)
        }
    }

    /// The collection that a text names; throws where none may be called so.
    package func collection(_ text: Span<UInt8>) throws(AddError) -> CollectionName {
        do throws(SlugError) {
            return try CollectionName(text.text, reserved: rules.reserved)
        } catch {
            throw .slug(error)
        }
    }
}
