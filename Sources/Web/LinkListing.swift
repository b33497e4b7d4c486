// The listing of all listed links.
internal import Shortening

/// Makes its pages, from what stands before the links and behind them, between two, and for each.
struct LinkListing: Pager {
    /// Rows of one page: 50 KiB of text where long URLs are usual ones, 2 MiB where each has 8,000 characters.
    private static let rows = 250

    private let store: any LinkStore
    private let closing: String
    private let separator: String
    private let row: @Sendable (Link) -> String
    private var pending: String
    private var after: LinkID?
    private var isFirst = true
    private(set) var isDone = false

    init(
        _ services: Services, opening: String, closing: String, separator: String, row: @escaping @Sendable (Link) -> String
    ) {
        store = services.shortener.store
        self.closing = closing
        self.separator = separator
        self.row = row
        pending = opening
    }

    mutating func page() throws(StoreError) -> [UInt8] {
        let page = try store.links(.listed, after: after, limit: Self.rows)
        var text = pending
        pending = ""
        for link in page.links {
            if !isFirst { text += separator }
            isFirst = false
            text += row(link)
        }
        after = page.next
        if page.next == nil {
            isDone = true
            text += closing
        }
        return Array(text.utf8)
    }
}
