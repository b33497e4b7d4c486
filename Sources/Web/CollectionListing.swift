// The listing of a collection as the apps of a course feed read it.
internal import Shortening

/// Makes its JSON text, compressed where that was asked for.
struct CollectionListing: Pager, ~Copyable {
    /// Members of one page: some 50 KiB of text.
    private static let rows = 250

    private let services: Services
    private let collection: LinkCollection
    private let filter: EventFilter
    private var encoder: GzipEncoder?
    private var after: Int64?
    private var isFirst = true
    private(set) var isDone = false

    init(_ services: Services, _ collection: LinkCollection, _ filter: EventFilter, encoder: consuming GzipEncoder?) {
        self.services = services
        self.collection = collection
        self.filter = filter
        self.encoder = encoder
    }

    mutating func page() throws(StoreError) -> [UInt8] {
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
