// `shorty add`
internal import Configuration
internal import SQLiteStore
internal import Shortening
internal import Web

struct AddCommand: Subcommand {
    static let description = CommandDescription(
        path: ["add"], summary: "Store a link and print its short URL.", operands: [OperandDescription(name: "URL")],
        options: [
            OptionDescription(name: "slug", placeholder: "SLUG", sentence: "Its short name; without one, one is made."),
            OptionDescription(name: "title", placeholder: "TEXT", sentence: "What lists show beside it."),
            OptionDescription(name: "listed", sentence: "Show it in the public listings."),
            .publicURL, .config, .database,
        ],
        details: """
            Stores a link to URL and prints its short URL alone on standard output. A URL that begins with a host, \
            like example.com/talk, gets http:// in front. A running daemon serves the link at once.
            """,
        examples: ["shorty add https://example.com/talk.pdf --slug talk"])

    private let access: StoreAccess
    private let wish: Shortener.Wish

    init(_ arguments: ParsedArguments) {
        access = StoreAccess(arguments, of: Self.description)
        wish = Shortener.Wish(
            longURL: arguments.operands[0], slug: arguments.value("slug"), title: arguments.value("title"),
            isListed: arguments.has("listed"))
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let judge = { (settings: Settings) throws(CommandError) in _ = try checkedLink(ShorteningRules(settings)) }
        try access.use(surroundings, createsFile: true, judging: judge) { store, settings throws(CommandError) in
            let rules = ShorteningRules(settings)
            let slug = try add(try checkedLink(rules), to: store)
            try surroundings.console.write(rules.shortURL(slug) + "\n")
            StoreAccess.warnOfGuessedURL(settings, rules, surroundings.console)
        }
    }

    private func add(_ link: NewLink, to store: SQLiteStore) throws(CommandError) -> Slug {
        switch try StoreAccess.asking({ () throws(StoreError) in try store.add(link) }) {
        case .added(let slug, _), .existing(let slug, _): return slug
        case .taken: throw .failure(AddError.taken(Slug(stored: wish.slug ?? "")).message)
        }
    }

    private func checkedLink(_ rules: ShorteningRules) throws(CommandError) -> NewLink {
        var wish = wish
        do throws(LongURLError) {
            wish.longURL = try LongURL(kindly: wish.longURL, limit: rules.urlLimit).text
        } catch {
            throw .failure(error.message)
        }
        do throws(AddError) {
            return try rules.check(wish, owner: nil)
        } catch {
            throw .failure(error.message)
        }
    }
}
