// The listing of a collection as the apps of a course feed read it, made page by page while the client reads: however slow that
// is, no snapshot is held and no more than a page is in memory.
internal import Dispatch
internal import HTTP
internal import Shortening

/// The JSON text of a listing, compressed where that was asked for. One piece is being made at a time, on a Dispatch thread.
final class CollectionListing: BodySource, @unchecked Sendable {
    // Sendable by hand: the state is touched only between a call of `next` and its `done`, which never overlap.

    /// Members of one page: some 50 KiB of text.
    private static let rows = 250

    private let services: Services
    private let collection: LinkCollection
    private let filter: EventFilter
    private var encoder: GzipEncoder?
    private var after: Int64?
    private var isFirst = true
    private var isDone = false
    /// Made, and not yet asked for.
    private var ready: [UInt8]?

    init(_ services: Services, _ collection: LinkCollection, _ filter: EventFilter, encoder: consuming GzipEncoder?) {
        self.services = services
        self.collection = collection
        self.filter = filter
        self.encoder = encoder
    }

    /// The whole content where it fits one page, else nil: then it has to be streamed. To be called first, if at all; blocks.
    func whole() throws(StoreError) -> [UInt8]? {
        ready = try piece()
        return isDone ? ready : nil
    }

    func next(_ done: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void) {
        if let ready {
            self.ready = nil
            return done(.success(ready))
        }
        // The connection holds the listing; when that has gone, nobody wants the piece.
        DispatchQueue.global().async { [weak self] in
            guard let self else { return }
            done(Result { try self.piece() })
        }
    }

    private func piece() throws(StoreError) -> [UInt8]? {
        guard !isDone else { return nil }
        var text = after == nil ? "{\(jsonText(collection.name.text)):[" : ""
        let page = try services.collections.members(of: collection.id, filter, after: after, limit: Self.rows)
        for member in page.members {
            if !isFirst { text += "," }
            isFirst = false
            append(member, to: &text)
        }
        after = page.next
        if page.next == nil {
            isDone = true
            text += "]}\n"
        }
        let bytes = Array(text.utf8)
        return encoder?.encode(bytes, isLast: isDone) ?? bytes
    }

    /// A member as an object. The apps want every text present and a text, and `upcoming` never empty.
    private func append(_ member: Member, to text: inout String) {
        text += "{\"title\":\(jsonText(member.title ?? member.slug.text))"
        text += ",\"url\":\(jsonText(services.shortener.rules.shortURL(member.slug)))"
        text += ",\"long_url\":\(jsonText(member.longURL.text))"
        text += ",\"tags\":[\(member.tags.map { jsonText($0.text) }.joined(separator: ","))]"
        if !member.events.isEmpty {
            text += ",\"upcoming\":[\(member.events.map(Self.json).joined(separator: ","))]"
        }
        text += "}"
    }

    private static func json(_ event: Event) -> String {
        "{\"start_date\":\"\(event.firstDay.text)\",\"end_date\":\"\(event.lastDay.text)\","
            + "\"instructors\":\(jsonText(event.instructors)),\"location\":\(jsonText(event.location))}"
    }
}
