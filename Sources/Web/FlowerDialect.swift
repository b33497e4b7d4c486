// The dialect of the flower apps: a random member of a collection, and what was drawn for a session. The apps show the first as an
// image and the second as a page laid over it.
internal import Dispatch
internal import HTTP
internal import Shortening

/// The handlers of the random and detail routes. Any loop.
struct FlowerDialect: Sendable {
    private let services: Services

    init(_ services: Services) { self.services = services }

    /// The routes under every collection's own name, and their aliases.
    static func pages(aliases: [CollectionAlias]) -> [Page] {
        [
            Page([.get], "/{collection}/random") { services, request, parameters, answer in
                Self(services).draw(Wish(parameters[0], request), request, &answer)
            },
            Page([.get], "/{collection}/detail") { services, request, parameters, answer in
                Self(services).detail(Wish(parameters[0], request), request, &answer)
            },
        ]
            + aliases.map { alias in
                Page([.get], alias.path) { services, request, _, answer in
                    let wish = Wish(alias, request)
                    switch alias.purpose {
                    case .random: Self(services).draw(wish, request, &answer)
                    case .detail: Self(services).detail(wish, request, &answer)
                    }
                }
            }
    }

    /// What a request asks for; nil where there can be no collection of that name.
    private struct Wish: Sendable {
        let collection: CollectionName
        /// nil for any.
        let tag: Tag?
        /// nil where there is no session.
        let key: DrawnSessions.Key?

        init?(_ name: String, _ request: borrowing Request) {
            guard let name = CollectionName(path: name) else { return nil }
            self.init(CollectionAlias("", of: name, .random), request)
        }

        init(_ alias: CollectionAlias, _ request: borrowing Request) {
            let parameters = Parameters(readableIn: request.query)
            func value(_ names: [String]) -> String? {
                for name in names { if case .text(let text) = parameters[name] { return text } }
                return nil
            }
            collection = alias.collection
            tag = value(alias.tagNames).flatMap { Tag($0) }
            key = DrawnSessions.Key(collection, value(alias.sessionNames))
        }
    }

    // MARK: Drawing

    /// Leads to the drawn link's own long URL, one step instead of two, and counts the visit as its short URL would.
    private func draw(_ wish: Wish?, _ request: borrowing Request, _ answer: inout Answer) {
        guard let wish else { return answer.send(services.pages.notFound(request)) }
        let wantsJSON = Pages.prefersJSON(request)
        // HEAD is not a visit, nor does anybody see what it draws.
        let isVisit = request.method == .get
        let key = isVisit ? wish.key : nil
        let ticket = answer.later()
        if let key { services.sessions.begin(key) }
        services.draws.draw(DrawWish(collection: wish.collection, tag: wish.tag)) { [services] outcome in
            if let key { services.sessions.end(key, (try? outcome.get())?.target.id) }
            switch outcome {
            case .success(let drawn?):
                if isVisit { services.shortener.cache.count(drawn.slug, drawn.target.id) }
                // Never to be kept, whatever the settings say of redirects: the next one is drawn anew.
                ticket.answer(
                    Response(.found, fields: [("Location", drawn.target.longURL.text), ("Cache-Control", "no-store")]))
            case .success(nil): ticket.answer(services.pages.notFound(wantsJSON: wantsJSON))
            case .failure(let error): ticket.answer(services.pages.storeFailed(error, wantsJSON: wantsJSON))
            }
        }
    }

    // MARK: Details

    private func detail(_ wish: Wish?, _ request: borrowing Request, _ answer: inout Answer) {
        guard let wish else { return answer.send(services.pages.notFound(request)) }
        let wantsJSON = Pages.prefersJSON(request)
        let ticket = answer.later()
        DispatchQueue.global().async { [services] in
            do throws(StoreError) {
                guard let collection = try services.collections.collection(wish.collection), collection.isPublic else {
                    return ticket.answer(services.pages.notFound(wantsJSON: wantsJSON))
                }
            } catch {
                return ticket.answer(services.pages.storeFailed(error, wantsJSON: wantsJSON))
            }
            guard let key = wish.key else { return ticket.answer(services.pages.overlay(nil)) }
            services.sessions.find(key) { link in
                guard let link else { return ticket.answer(services.pages.overlay(nil)) }
                services.collections.portrait(of: link) { outcome in
                    switch outcome {
                    case .success(let portrait): ticket.answer(services.pages.overlay(portrait))
                    case .failure(let error): ticket.answer(services.pages.storeFailed(error, wantsJSON: wantsJSON))
                    }
                }
            }
        }
    }
}

extension Pages {
    /// A small page about a link, without a background of its own, to be laid over its picture; neutral where there is none.
    func overlay(_ portrait: LinkPortrait?) -> Response {
        guard let portrait else { return overlay(title: "Details", content: "<p>No picture was chosen yet.</p>") }
        let title = portrait.title ?? portrait.slug.text
        var content = "<h1>\(Self.escaped(title))</h1>\n"
        if !portrait.tags.isEmpty {
            content += "<p class=\"tags\">\(Self.escaped(portrait.tags.map(\.text).joined(separator: ", ")))</p>\n"
        }
        if let description = portrait.description { content += "<p>\(Self.escaped(description))</p>\n" }
        return overlay(title: title, content: content)
    }

    private func overlay(title: String, content: String) -> Response {
        page(.ok, title: title, styleSheet: "overlay.css", content: content)
    }
}
