// The dialect of X.co: /Squeeze.svc and /Reporting.svc, with the account key in the path and no regard for letter case. Its clients
// show the body as it is and look at no status, so a right answer is the short URL and not a byte more, and a wrong one is a text
// that no old or new reader of URLs takes for one: «ERROR 403: unknown account key». Never 401, which would make Apple's
// clients ask for a password, never a redirect.
internal import Dispatch
internal import HTTP
internal import Shortening

/// The handlers of the X.co routes. Any loop.
struct SqueezeDialect: Sendable {
    private let services: Services
    private let gate: KeyGate

    init(_ services: Services) {
        self.services = services
        gate = KeyGate(services)
    }

    static let pages: [Page] = [
        // They store, as the original's did, so that HEAD is none of theirs.
        Page([.get], "/Squeeze.svc/text/{key}", ignoringCase: true, stores: true) { services, request, parameters, answer in
            Self(services).squeeze(request, key: parameters[0], &answer) { short in
                reply(.ok, type: plainText, short)
            }
        },
        Page([.get], "/Squeeze.svc/{key}", ignoringCase: true, stores: true) { services, request, parameters, answer in
            Self(services).squeeze(request, key: parameters[0], &answer) { short in
                reply(.ok, type: "application/json", jsonText(short))
            }
        },
        Page([.get], "/Reporting.svc/maps/{key}", ignoringCase: true) { services, request, parameters, answer in
            Self(services).report(request, key: parameters[0], &answer)
        },
    ]

    // MARK: Squeezing

    private func squeeze(
        _ request: borrowing Request, key: String, _ answer: inout Answer, reply: @escaping @Sendable (String) -> Response
    ) {
        let url = URLParameter.value(in: request.query)
        admit(key, request, answer.later()) { [services] account, ticket in
            guard let url else {
                return ticket.answer(Self.error(.badRequest, "The long URL is missing; send it as ?url=."))
            }
            services.shortener.squeeze(url, owner: account) { outcome in
                switch outcome {
                case .success(let short): ticket.answer(reply(short))
                case .failure(.store(let error)): ticket.answer(Self.error(error))
                case .failure(let error): ticket.answer(Self.error(.badRequest, error.message))
                }
            }
        }
    }

    // MARK: Reporting

    /// One page of what an account has squeezed, the oldest first.
    private struct ReportPage: Sendable {
        /// What the one known client asks for.
        static let usualSize = 255
        /// Rows of one read transaction of the store.
        static let largestSize = 1000
        /// So that the product with the size stays a number.
        static let lastNumber = 1_000_000_000

        let number: Int
        let size: Int

        init(_ query: Span<UInt8>) throws(ParameterFault) {
            let parameters = try Parameters(query: query)
            number = try Self.number(parameters, "p", usual: 1, most: Self.lastNumber)
            size = try Self.number(parameters, "s", usual: Self.usualSize, most: Self.largestSize)
        }

        private static func number(
            _ parameters: Parameters, _ name: String, usual: Int, most: Int
        ) throws(ParameterFault) -> Int {
            guard let text = try parameters.text(name) else { return usual }
            guard let number = Int(text), (1...most).contains(number) else {
                throw ParameterFault(message: "\"\(name)\" must be a number from 1 to \(most).")
            }
            return number
        }
    }

    private func report(_ request: borrowing Request, key: String, _ answer: inout Answer) {
        let page: Result<ReportPage, ParameterFault>
        do throws(ParameterFault) { page = .success(try ReportPage(request.query)) } catch { page = .failure(error) }
        admit(key, request, answer.later()) { [services] account, ticket in
            switch page {
            case .failure(let fault): ticket.answer(Self.error(.badRequest, fault.message))
            // Off the loop: the store's calls block.
            case .success(let page):
                DispatchQueue.global().async { ticket.answer(Self.report(page, of: account, in: services.shortener.store)) }
            }
        }
    }

    private static func report(_ page: ReportPage, of account: AccountID, in store: any LinkStore) -> Response {
        do throws(StoreError) {
            let rows = try links(page, of: account, in: store).map { link in
                "{\"Url\":\(jsonText(link.longURL.text)),\"Encoded\":\(jsonText(link.slug.text)),\"TotalClicks\":\(link.clicks)}"
            }
            return reply(.ok, type: "application/json", "{\"GetMapsResult\":[\(rows.joined(separator: ","))]}")
        } catch {
            return Self.error(error)
        }
    }

    private static func links(
        _ page: ReportPage, of account: AccountID, in store: any LinkStore
    ) throws(StoreError) -> [Link] {
        var before: LinkID?
        if page.number > 1 {
            before = try store.squeezedLink((page.number - 1) * page.size, of: account)
            if before == nil { return [] }
        }
        return try store.links(.squeezed(account), after: before, limit: page.size).links
    }

    // MARK: Answers

    private static let plainText = "text/plain; charset=utf-8"

    /// Goes on with the account whose key it is, or answers why not.
    private func admit(
        _ key: String, _ request: borrowing Request, _ ticket: Ticket,
        _ goOn: @escaping @Sendable (AccountID, Ticket) -> Void
    ) {
        gate.check(key, from: request.client) { verdict in
            switch verdict {
            case .right(let key): goOn(key.account, ticket)
            case .missing, .wrong: ticket.answer(Self.error(.forbidden, "unknown account key"))
            case .tooMany(let seconds):
                ticket.answer(
                    Self.error(
                        .tooManyRequests, "Too many wrong keys; try again in \(seconds) seconds.", retryAfter: seconds))
            case .failed(let error): ticket.answer(Self.error(error))
            }
        }
    }

    private static func error(_ error: StoreError) -> Response { Self.error(error.status, error.message, retryAfter: 1) }

    static func error(_ status: Status, _ message: String, retryAfter seconds: Int? = nil) -> Response {
        var response = reply(status, type: plainText, "ERROR \(status.rawValue): \(message)")
        if let seconds { response.fields.append(("Retry-After", String(seconds))) }
        return response
    }

    private static func reply(_ status: Status, type: String, _ text: String) -> Response {
        Response(
            status, type: type, text, fields: [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")])
    }
}
