// Content that is made page by page while the client reads: however slow that is, no snapshot is held and no more than a page is in
// memory.
internal import Dispatch
internal import HTTP
internal import Shortening

/// What makes the pages, one at a time.
protocol Pager: ~Copyable, SendableMetatype {
    /// Whether the last page was made.
    var isDone: Bool { get }

    /// The next page, as long as `isDone` is false. Blocks.
    mutating func page() throws(StoreError) -> [UInt8]
}

/// The content of a listing. One page is being made at a time, on a Dispatch thread.
final class PagedContent<Maker: Pager & ~Copyable>: BodySource, @unchecked Sendable {
    // Sendable by hand: the state is touched only between a call of `next` and its `done`, which never overlap.
    private var maker: Maker
    /// Made, and not yet asked for.
    private var ready: [UInt8]?

    init(_ maker: consuming Maker) { self.maker = maker }

    /// The content with its length where it fits one page, else as a stream. To be called first; blocks.
    func begin() throws(StoreError) -> Response.Body {
        let first = try maker.page()
        if maker.isDone { return .bytes(first) }
        ready = first
        return .stream(self)
    }

    func next(_ done: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void) {
        if let ready {
            self.ready = nil
            return done(.success(ready))
        }
        // The connection holds the content; when that has gone, nobody wants the page.
        DispatchQueue.global().async { [weak self] in
            guard let self else { return }
            done(Result { self.maker.isDone ? nil : try self.maker.page() })
        }
    }
}
