// The dialect of the Shortifier apps: /api-add, /api-get, /api-getall, /add/{key}/{slug} and /view/list. Their words, their
// statuses and their shapes, down to the 201 of a refusal; what went wrong is added for people as `Message`.
internal import Dispatch
internal import HTTP
internal import Shortening
internal import Telemetry

/// The handlers of the Shortifier routes. Any loop.
struct ShortifierDialect: Sendable {
    private let services: Services
    private let gate: KeyGate

    init(_ services: Services) {
        self.services = services
        gate = KeyGate(services)
    }

    static let pages: [Page] = [
        Page([.post], "/api-add") { services, request, _, answer in Self(services).add(request, &answer) },
        Page([.post], "/api-get") { services, request, _, answer in Self(services).get(request, &answer) },
        Page([.get, .post], "/api-getall") { services, _, _, answer in Self(services).getAll(&answer) },
        Page([.get], "/add/{key}/{slug}", stores: true) { services, request, parameters, answer in
            Self(services).addByLink(request, key: parameters[0], slug: parameters[1], &answer)
        },
        Page([.get], "/view/list") { services, _, _, answer in Self(services).viewList(&answer) },
    ]

    // MARK: Adding

    /// Form or JSON with key, url and url_slug. Without url_slug a slug is generated, and the answer says which.
    private func add(_ request: borrowing Request, _ answer: inout Answer) {
        let parameters: Parameters
        do throws(ParameterFault) {
            parameters = try Parameters(request)
        } catch {
            return answer.send(Self.failure(.badRequest, error.message))
        }
        if parameters["key"] == nil, parameters.contentIsNoObject {
            return answer.send(Self.failure(.badRequest, "The content must be a JSON object with key, url and url_slug."))
        }
        // Only a string can be a key: JSON's 0 and true are not.
        if parameters["key"] == .other {
            return answer.send(Self.failure(.forbidden, "\"key\" must be a string."))
        }
        let secret: String? = if case .text(let text) = parameters["key"] { text } else { nil }
        let client = request.client
        let ticket = answer.later()
        gate.check(secret, from: client) { [services] verdict in
            switch verdict {
            case .right(let key): Self.store(parameters, key, services, ticket)
            case .missing: ticket.answer(Self.failure(.forbidden, Self.missingKey(parameters)))
            case .wrong: ticket.answer(Self.failure(.forbidden, "The key is not known here."))
            case .tooMany(let seconds):
                var response = Self.failure(.tooManyRequests, "Too many wrong keys; try again in \(seconds) seconds.")
                response.fields.append(("Retry-After", String(seconds)))
                ticket.answer(response)
            case .failed(let error): ticket.answer(Self.failure(error))
            }
        }
    }

    private static func missingKey(_ parameters: Parameters) -> String {
        let text = "The key is missing; send it as \"key\"."
        guard parameters.formLooksLikeJSON else { return text }
        return text + " The content was read as a form; send JSON with Content-Type: application/json."
    }

    private static func store(_ parameters: Parameters, _ key: APIKey, _ services: Services, _ ticket: Ticket) {
        let wish: Shortener.Wish
        do throws(ParameterFault) {
            guard let url = try parameters.text("url") else {
                throw ParameterFault(message: "The long URL is missing; send it as \"url\".")
            }
            wish = Shortener.Wish(
                longURL: url, slug: try parameters.text("url_slug"), title: try parameters.line("title"), isListed: true)
        } catch {
            return ticket.answer(failure(.created, error.message))
        }
        services.shortener.add(wish, owner: key.account) { outcome in
            switch outcome {
            case .success(let slug): ticket.answer(success(slug, isGenerated: wish.slug == nil, services))
            case .failure(.taken(let slug)): ticket.answer(exists(AddError.taken(slug).message))
            // For the apps a reserved name is one that exists already: that is the message which helps their users.
            case .failure(.slug(.reserved(let name))): ticket.answer(exists(SlugError.reserved(name).message))
            case .failure(.store(let error)): ticket.answer(failure(error))
            case .failure(let error): ticket.answer(failure(.created, error.message))
            }
        }
    }

    private static func success(_ slug: Slug, isGenerated: Bool, _ services: Services) -> Response {
        let short = services.shortener.rules.shortURL(slug)
        let more = isGenerated ? ",\"Url_Slug\":\(jsonText(slug.text)),\"Short_Url\":\(jsonText(short))" : ""
        return json(.created, "{\"Status\":\"SUCCESS\"\(more)}")
    }

    private static func exists(_ message: String) -> Response {
        json(.created, "{\"Status\":\"Already Exists\",\"Message\":\(jsonText(message))}")
    }

    static func failure(_ status: Status, _ message: String) -> Response {
        json(status, "{\"Status\":\"FAILURE\",\"Message\":\(jsonText(message))}")
    }

    private static func failure(_ error: StoreError) -> Response {
        var response = failure(error.status, error.message)
        response.fields.append(("Retry-After", "1"))
        return response
    }

    private static func json(_ status: Status, _ body: String) -> Response {
        Response(status, type: "application/json", body, fields: [("Cache-Control", "no-store")])
    }

    // MARK: Asking

    private func get(_ request: borrowing Request, _ answer: inout Answer) {
        let slug: Slug?
        do throws(ParameterFault) {
            let text = try Parameters(request).text("url_slug") ?? ""
            slug = Slug(path: text.utf8Span.span, limit: Slug.longest)
        } catch {
            return answer.send(Self.failure(.badRequest, error.message))
        }
        let unknown = Self.json(.created, "{\"Status\":\"Does not exist\"}")
        guard let slug else { return answer.send(unknown) }
        let ticket = answer.later()
        services.shortener.find([slug]) { outcome in
            switch outcome {
            case .success(let targets):
                guard let target = targets[0] else { return ticket.answer(unknown) }
                ticket.answer(
                    Self.json(
                        .created,
                        "{\"Status\":\"SUCCESS\",\"Url_Slug\":\(jsonText(slug.text)),\"Url\":\(jsonText(target.longURL.text))}"
                    ))
            case .failure(let error): ticket.answer(Self.failure(error))
            }
        }
    }

    private func getAll(_ answer: inout Answer) {
        guard services.options.hasPublicListing else {
            // 200, since the Android app cannot read the body of an error.
            return answer.send(
                Self.json(
                    .ok, "{\"Urls\":{},\"Status\":\"FAILURE\",\"Message\":\"The public listing is turned off here.\"}"))
        }
        let listing = LinkListing(
            services, opening: "{\"Urls\":{", closing: "},\"Status\":\"SUCCESS\"}", separator: ","
        ) { link in "\(jsonText(link.slug.text)):\(jsonText(link.longURL.text))" }
        show(listing, answer.later()) { outcome in
            switch outcome {
            case .success(let content):
                Response(.ok, type: "application/json", content: content, fields: [("Cache-Control", "no-store")])
            case .failure(let error): Self.failure(error)
            }
        }
    }

    /// Makes the first page on another thread, and so knows what to answer.
    private func show(
        _ listing: LinkListing, _ ticket: Ticket,
        as response: @escaping @Sendable (Result<Response.Body, StoreError>) -> Response
    ) {
        DispatchQueue.global().async {
            do throws(StoreError) {
                ticket.answer(response(.success(try PagedContent(listing).begin())))
            } catch {
                ticket.answer(response(.failure(error)))
            }
        }
    }

    // MARK: Pages

    private func viewList(_ answer: inout Answer) {
        guard services.options.hasPublicListing else {
            return answer.send(services.pages.problem(.forbidden, "No listing", "The public listing is turned off here."))
        }
        let rules = services.shortener.rules
        let listing = LinkListing(
            services,
            opening: Pages.opening(title: "Links")
                + "<h1>Links</h1>\n<table>\n<tr><th>Short URL</th><th>Leads to</th></tr>\n",
            closing: "</table>" + Pages.closing, separator: ""
        ) { link in
            let (short, long) = (Pages.escaped(rules.shortURL(link.slug)), Pages.escaped(link.longURL.text))
            let title = link.title.map { "<br><small>\(Pages.escaped($0))</small>" } ?? ""
            return "<tr><td><a href=\"\(short)\">\(short)</a></td><td>\(long)\(title)</td></tr>\n"
        }
        show(listing, answer.later()) { [services] outcome in
            switch outcome {
            case .success(let content): services.pages.page(.ok, content)
            case .failure(let error): services.pages.storeFailed(error, wantsJSON: false)
            }
        }
    }

    private func addByLink(_ request: borrowing Request, key: String, slug: String, _ answer: inout Answer) {
        let url = URLParameter.value(in: request.query)
        let client = request.client
        let ticket = answer.later()
        gate.check(key, from: client) { [services] verdict in
            let pages = services.pages
            switch verdict {
            case .right(let key):
                guard let url else {
                    return ticket.answer(
                        pages.problem(.badRequest, "Not added", "The long URL is missing; send it as ?url=."))
                }
                let wish = Shortener.Wish(longURL: url, slug: slug, isListed: true)
                services.shortener.add(wish, owner: key.account) { outcome in
                    ticket.answer(Self.page(outcome, url, services))
                }
            case .missing, .wrong: ticket.answer(pages.problem(.forbidden, "Not added", "The key is not known here."))
            case .tooMany(let seconds):
                var response = pages.problem(
                    .tooManyRequests, "Not added", "Too many wrong keys; try again in \(seconds) seconds.")
                response.fields.append(("Retry-After", String(seconds)))
                ticket.answer(response)
            case .failed(let error): ticket.answer(pages.storeFailed(error, wantsJSON: false))
            }
        }
    }

    private static func page(_ outcome: Result<Slug, AddError>, _ url: String, _ services: Services) -> Response {
        switch outcome {
        case .success(let slug):
            let short = Pages.escaped(services.shortener.rules.shortURL(slug))
            return services.pages.page(
                .ok, title: "Added",
                content:
                    "<h1>Congratulations!</h1>\n<p><a href=\"\(short)\">\(short)</a> leads to \(Pages.escaped(url)).</p>")
        case .failure(let error):
            let status: Status =
                switch error {
                case .taken, .slug(.reserved): .conflict
                case .store(let error): error.status
                case .slug, .longURL, .title, .ownURL: .badRequest
                }
            return services.pages.problem(status, "Not added", error.message)
        }
    }
}
