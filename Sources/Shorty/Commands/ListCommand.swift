// `shorty list`
internal import FoundationEssentials
internal import SQLiteStore
internal import Shortening
internal import Telemetry

struct ListCommand: Subcommand {
    static let description = CommandDescription(
        path: ["list"], summary: "List all links.",
        options: [
            OptionDescription(
                name: "json", sentence: "One JSON object a line: slug, short_url, url, title, created, clicks, listed."),
            OptionDescription(name: "account", placeholder: "NAME", sentence: "Only the links that this account made."),
            .publicURL, .config, .database,
        ],
        details: """
            Prints the links in the order in which they were made: date, visits, slug and long URL. Links that are added while \
            it runs may be missing.
            """,
        examples: ["shorty list", "shorty list --account anna", "shorty list --json | jq -r .short_url"])

    private let access: StoreAccess
    private let isJSON: Bool
    private let account: String?

    init(_ arguments: ParsedArguments) {
        access = StoreAccess(arguments, of: Self.description)
        isJSON = arguments.has("json")
        account = arguments.value("account")
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        try access.use(surroundings, createsFile: false) { store, settings throws(CommandError) in
            let rules = ShorteningRules(settings)
            let filter = try filter(store)
            var position: LinkID?
            repeat {
                let page = try StoreAccess.asking { [position] () throws(StoreError) in
                    try store.links(filter, after: position, limit: 1_000)
                }
                let lines = page.links.map { isJSON ? json($0, rules) : text($0) }
                try surroundings.console.write(lines.joined())
                position = page.next
            } while position != nil
        }
    }

    private func filter(_ store: SQLiteStore) throws(CommandError) -> LinkFilter {
        guard let account else { return .all }
        guard let id = try StoreAccess.asking({ () throws(StoreError) in try store.account(named: account) }) else {
            throw .failure("There is no account \"\(account)\"; shorty key list names those that have keys.")
        }
        return .owned(id)
    }

    private func text(_ link: Link) -> String {
        let clicks = String(link.clicks)
        let title = link.title.map { "  \"\(Table.flattened($0))\"" } ?? ""
        let visits = String(repeating: " ", count: max(0, 8 - clicks.utf8.count)) + clicks
        let slug = link.slug.text + String(repeating: " ", count: max(0, 12 - link.slug.text.utf8.count))
        return "\(UTCTime(secondsSince1970: link.created).readable)  \(visits)  \(slug)  \(link.longURL.text)\(title)\n"
    }

    private func json(_ link: Link, _ rules: ShorteningRules) -> String {
        let row = Row(
            slug: link.slug.text, short_url: rules.shortURL(link.slug), url: link.longURL.text, title: link.title,
            created: UTCTime(secondsSince1970: link.created).rfc3339, clicks: link.clicks, listed: link.isListed)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers alone cannot fail to be encoded.
        return String(decoding: (try? encoder.encode(row)) ?? Data(), as: UTF8.self) + "\n"
    }

    /// The names that are printed.
    private struct Row: Encodable {
        let slug: String
        let short_url: String
        let url: String
        let title: String?
        let created: String
        let clicks: Int64
        let listed: Bool
    }
}
