// The dialect of the course feed apps: /{collection}.json for everybody, /private/{collection}.json for accounts. Errors are JSON
// objects here, whatever the client accepts: the apps read members by name without looking.
internal import Dispatch
internal import HTTP
internal import Shortening

/// The handlers of the listings of collections. Any loop.
struct CollectionDialect: Sendable {
    private let services: Services

    init(_ services: Services) { self.services = services }

    static let pages: [Page] = [
        Page([.get], "/{collection}.json") { services, request, parameters, answer in
            Self(services).list(parameters[0], request, &answer)
        },
        Page([.get], "/private/{collection}.json") { services, request, parameters, answer in
            Self(services).listPrivate(parameters[0], request, &answer)
        },
    ]

    /// What a request wants to see.
    private struct Wish: Sendable {
        let name: CollectionName
        let filter: EventFilter
        let wantsGzip: Bool
        /// Entity tags of what the client has.
        let known: [String]
        /// Private collections are shown too.
        var seesPrivate = false
    }

    private func list(_ name: String, _ request: borrowing Request, _ answer: inout Answer) {
        let wish: Wish
        do throws(ParameterFault) {
            guard let found = try Self.wish(name, request) else { return answer.send(services.pages.noCollection) }
            wish = found
        } catch {
            return answer.send(refusal(.badRequest, error.message))
        }
        show(wish, answer.later())
    }

    /// Accounts see every collection. Whoever shows nothing readable is challenged; whoever is refused is not, because old apps
    /// answer a challenge with the same password for ever.
    private func listPrivate(_ name: String, _ request: borrowing Request, _ answer: inout Answer) {
        guard let credentials = request.field("authorization").flatMap(BasicCredentials.init) else {
            var response = services.pages.problem(.unauthorized, "No listing", "This needs a name and a password.", true)
            response.fields.append(("WWW-Authenticate", "Basic realm=\"Shorty\", charset=\"UTF-8\""))
            return answer.send(response)
        }
        let wish = Result { () throws(ParameterFault) in try Self.wish(name, request) }
        let ticket = answer.later()
        services.passwords.check(credentials, from: request.client) { [self] verdict in
            switch verdict {
            case .right: showPrivate(wish, ticket)
            case .wrong: ticket.answer(refusal(.forbidden, "The name or the password is wrong."))
            case .tooMany(let seconds):
                var response = refusal(.tooManyRequests, "Too many wrong passwords; try again in \(seconds) seconds.")
                response.fields.append(("Retry-After", String(seconds)))
                ticket.answer(response)
            case .busy:
                var response = refusal(.serviceUnavailable, "Too many passwords wait to be checked; try again in a moment.")
                response.fields.append(("Retry-After", "1"))
                ticket.answer(response)
            case .failed(let error): ticket.answer(services.pages.storeFailed(error, wantsJSON: true))
            }
        }
    }

    private func showPrivate(_ wish: Result<Wish?, ParameterFault>, _ ticket: Ticket) {
        switch wish {
        case .success(var wish?):
            wish.seesPrivate = true
            show(wish, ticket)
        case .success(nil): ticket.answer(services.pages.noCollection)
        case .failure(let fault): ticket.answer(refusal(.badRequest, fault.message))
        }
    }

    private func refusal(_ status: Status, _ text: String) -> Response {
        services.pages.problem(status, "No listing", text, true)
    }

    /// nil where there can be no collection of that name.
    private static func wish(_ name: String, _ request: borrowing Request) throws(ParameterFault) -> Wish? {
        guard let name = CollectionName(path: name) else { return nil }
        let query = Parameters(readableIn: request.query)
        let year = try number(query.text("year"), in: 1...9999, "year")
        let month = try number(query.text("month"), in: 1...12, "month")
        return Wish(
            name: name, filter: EventFilter(year: year, month: month), wantsGzip: ContentNegotiation.wantsGzip(request),
            known: ContentNegotiation.knownTags(request))
    }

    /// An empty value is as good as none.
    private static func number(
        _ text: String?, in range: ClosedRange<Int>, _ name: String
    ) throws(ParameterFault) -> Int? {
        guard let text, !text.isEmpty else { return nil }
        let isNumber = text.utf8.count <= 4 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, let number = Int(text), range.contains(number) else {
            throw ParameterFault(
                message: "\"\(name)\" must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    // MARK: Answering

    private func show(_ wish: Wish, _ ticket: Ticket) {
        DispatchQueue.global().async { [self] in
            do throws(StoreError) {
                ticket.answer(try response(wish))
            } catch {
                ticket.answer(services.pages.storeFailed(error, wantsJSON: true))
            }
        }
    }

    /// Blocks.
    private func response(_ wish: Wish) throws(StoreError) -> Response {
        guard let collection = try services.collections.collection(wish.name), collection.isPublic || wish.seesPrivate
        else {
            return services.pages.noCollection
        }
        // Where there is no memory to compress, the text goes out as it is.
        let encoder = wish.wantsGzip ? GzipEncoder() : nil
        let isEncoded = encoder != nil
        let tag = entityTag(collection, wish, isEncoded: isEncoded)
        var fields: [(name: String, value: String)] = [
            ("ETag", tag), ("Vary", "Accept-Encoding"),
            ("Cache-Control", wish.seesPrivate ? "private, no-cache" : "no-cache"),
        ]
        if wish.known.contains(tag) || wish.known.contains("*") { return Response(.notModified, fields: fields) }
        if isEncoded { fields.append(("Content-Encoding", "gzip")) }
        fields.append(("X-Content-Type-Options", "nosniff"))
        let listing = PagedContent(CollectionListing(services, collection, wish.filter, encoder: encoder))
        return Response(.ok, type: "application/json", content: try listing.begin(), fields: fields)
    }

    /// A strong validator (RFC 9110 §8.8.3): another one for each state of the collection, each filter, each form of short URLs
    /// and each coding. The revision was read before the members, so that a change in between makes the content too new for its
    /// tag, and the tag is then never given again.
    private func entityTag(_ collection: LinkCollection, _ wish: Wish, isEncoded: Bool) -> String {
        let filter = "\(wish.filter.year ?? 0)-\(wish.filter.month ?? 0)"
        let base = SHA256Digest(of: Array(services.shortener.rules.publicURL.utf8)).bytes.prefix(4)
        let form = base.map { String($0, radix: 16) }.joined()
        return "\"\(collection.id.rawValue)-\(collection.revision)-\(filter)-\(form)\(isEncoded ? "-gzip" : "")\""
    }
}

extension Pages {
    /// Also the answer for a private collection that the client may not see.
    var noCollection: Response { problem(.notFound, "Not found", "There is no such collection here.", true) }
}
