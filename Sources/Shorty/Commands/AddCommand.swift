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
            Stores a link to URL and prints its short URL alone on standard output. A URL without http:// or https:// gets \
            http:// in front. A running daemon serves the link at once.
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
        try access.use(surroundings, createsFile: true) { store, settings throws(CommandError) in
            let rules = ShorteningRules(settings)
            let slug = try add(to: store, rules)
            try surroundings.console.write(rules.shortURL(slug) + "\n")
            StoreAccess.warnOfGuessedURL(settings, rules, surroundings.console)
        }
    }

    private func add(to store: SQLiteStore, _ rules: ShorteningRules) throws(CommandError) -> Slug {
        let link = try checkedLink(store, rules)
        switch try StoreAccess.asking({ () throws(StoreError) in try store.add(link) }) {
        case .added(let slug, _), .existing(let slug, _): return slug
        case .taken: throw .failure(AddError.taken(Slug(stored: wish.slug ?? "")).message)
        }
    }

    private func checkedLink(_ store: SQLiteStore, _ rules: ShorteningRules) throws(CommandError) -> NewLink {
        var wish = wish
        do throws(LongURLError) {
            wish.longURL = try LongURL(kindly: wish.longURL, limit: rules.urlLimit).text
        } catch {
            throw .failure(error.message)
        }
        do throws(AddError) {
            // Nothing is looked up, so the cache may be as small as it gets.
            let cache = HotCache(bytes: 0, generations: store.generations)
            return try Shortener(store: store, cache: cache, rules: rules).check(wish, owner: nil)
        } catch {
            throw .failure(error.message)
        }
    }
}
