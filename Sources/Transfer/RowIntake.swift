// From what a row says to a link that may be stored: the same checks as for every add, and the few that only an import needs.
internal import Shortening

/// Why a row cannot be stored, in a sentence.
struct RowProblem: Error, Equatable {
    let reason: String
}

/// Checks rows and packs them.
struct RowIntake {
    /// Bytes of an account's name at most.
    private static let nameLimit = 1000

    let check: LinkCheck
    /// When links were made that do not say it, in seconds since 1970.
    let now: Int64

    /// Appends a row to `links`, or throws what is wrong with it and appends nothing.
    func take(_ fields: LinkFields, _ text: [UInt8], to links: inout PackedLinks) throws(RowProblem) {
        let slug = fields.slug ?? 0..<0
        if fields.isCollection {
            let name = try collection(text.span.extracting(slug))
            return links.append(
                CollectionRecord(name: name, isPublic: fields.isListed, created: fields.created ?? now), row: fields.line)
        }
        var longURL: LongURL?
        do throws(AddError) {
            try check.checkSlug(text.span.extracting(slug))
            longURL = try check.checkLongURL(text.span.extracting(fields.longURL ?? 0..<0))
            if let title = fields.title { try check.checkTitle(text.span.extracting(title)) }
        } catch {
            throw RowProblem(reason: error.message)
        }
        let details = fields.hasDetails ? try details(fields, text) : nil
        let numbers = PackedNumbers(
            row: fields.line, created: fields.created ?? now, clicks: fields.clicks, isListed: fields.isListed)
        let title = fields.title.map { text[$0] }
        if let longURL {
            let stored = Array(longURL.text.utf8)
            links.append(numbers, slug: text[slug], longURL: stored[...], title: title, details: details)
        } else {
            links.append(numbers, slug: text[slug], longURL: text[fields.longURL ?? 0..<0], title: title, details: details)
        }
    }

    private func details(_ fields: LinkFields, _ text: [UInt8]) throws(RowProblem) -> PackedDetails {
        var details = PackedDetails()
        details.owner = try fields.owner.map { place throws(RowProblem) in
            try Self.plainText(text.span.extracting(place), "owner", limit: Self.nameLimit)
        }
        if details.owner?.isEmpty == true { throw RowProblem(reason: "The owner has no name.") }
        details.description = try fields.description.map { place throws(RowProblem) in
            try Self.plainText(text.span.extracting(place), "description", limit: .max)
        }
        details.expires = fields.expires
        details.removed = fields.removed
        details.isSqueezed = fields.isSqueezed && details.owner != nil
        for place in fields.tags {
            let word = try Self.plainText(text.span.extracting(place), "tag", limit: .max)
            guard let tag = Tag(word) else {
                throw RowProblem(
                    reason: "A tag has to be 1 to \(Tag.limit) characters without commas and control characters.")
            }
            details.tags.append(tag)
        }
        for (place, position) in fields.memberships {
            let name = try collection(text.span.extracting(place))
            // Who is removed is no member any more.
            if fields.removed == nil {
                details.memberships.append(LinkRecord.Membership(collection: name, position: position))
            }
        }
        for (start, end, instructors, location) in fields.events {
            details.events.append(
                try Self.event([start, end, instructors, location].map { text.span.extracting($0).text }))
        }
        return details
    }

    private func collection(_ name: Span<UInt8>) throws(RowProblem) -> CollectionName {
        do throws(AddError) {
            return try check.collection(name)
        } catch {
            throw RowProblem(reason: "The collection's name: \(error.message)")
        }
    }

    private static func event(_ texts: [String]) throws(RowProblem) -> Event {
        guard let first = Day(texts[0]), let last = Day(texts[1]) else {
            throw RowProblem(reason: "An event's start and end have to be days, written like 2030-01-31.")
        }
        do throws(EventError) {
            return try Event(firstDay: first, lastDay: last, instructors: texts[2], location: texts[3])
        } catch {
            throw RowProblem(reason: "An event: \(error.message)")
        }
    }

    private static func plainText(_ text: Span<UInt8>, _ name: String, limit: Int) throws(RowProblem) -> String {
        guard text.count <= limit, let utf8 = try? UTF8Span(validating: text),
            !text.indices.contains(where: { text[$0] == 0 })
        else {
            throw RowProblem(reason: "The \(name) is too long, or holds a NUL or bytes that are not UTF-8.")
        }
        return String(copying: utf8)
    }
}
