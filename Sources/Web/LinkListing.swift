// A listing of all listed links, made page by page while the client reads: however slow that is, no snapshot is held and no
// more than a page is in memory.
internal import Dispatch
internal import HTTP
internal import Shortening

/// The content of a listing. One page is being made at a time, on a Dispatch thread.
final class LinkListing: BodySource, @unchecked Sendable {
    // Sendable by hand: the state is touched only between a call of `next` and its `done`, which never overlap.

    /// Rows of one page: 50 KiB of text where long URLs are usual ones, 2 MiB where each has 8,000 characters.
    private static let rows = 250

    private let services: Services
    private let closing: String
    private let separator: String
    private let row: @Sendable (Link) -> String
    private var pending: String
    private var after: LinkID?
    private var isFirst = true
    private var isDone = false

    init(
        _ services: Services, opening: String, closing: String, separator: String, row: @escaping @Sendable (Link) -> String
    ) {
        self.services = services
        self.closing = closing
        self.separator = separator
        self.row = row
        pending = opening
    }

    func next(_ done: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void) {
        // The connection holds the listing; when that has gone, nobody wants the piece.
        DispatchQueue.global().async { [weak self] in
            guard let self else { return }
            done(Result { try self.piece() })
        }
    }

    private func piece() throws -> [UInt8]? {
        guard !isDone else { return nil }
        let page = try services.shortener.store.links(.listed, after: after, limit: Self.rows)
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
