// `shorty collection add`
internal import SQLiteStore
internal import Shortening

struct CollectionAddCommand: Subcommand {
    static let description = CommandDescription(
        path: ["collection", "add"], summary: "Put a link into a collection.",
        operands: [OperandDescription(name: "NAME"), OperandDescription(name: "SLUG")],
        options: [
            OptionDescription(
                name: "tag", placeholder: "TAG", isRepeatable: true, sentence: "Give the link these tags and no others."),
            OptionDescription(name: "description", placeholder: "TEXT", sentence: "Say what the link is about."),
            .config, .database,
        ],
        details: """
            Puts the link with this slug at the end of the collection, where it stays if it is in it already. Tags are read \
            without letter case; they and the description belong to the link, in all its collections.
            """,
        examples: ["shorty collection add courses swift-in-depth", "shorty collection add flowers rose --tag red"])

    private let access: StoreAccess
    private let name: String
    private let slug: String
    private let tags: [Tag]?
    private let text: String?

    init(_ arguments: ParsedArguments) throws(CommandError) {
        access = StoreAccess(arguments, of: Self.description)
        name = arguments.operands[0]
        slug = arguments.operands[1]
        text = arguments.value("description")
        var tags: [Tag] = []
        for word in arguments.values["tag"] ?? [] {
            guard let tag = Tag(word) else {
                throw Self.description.usageError(
                    "--tag must have 1 to \(Tag.limit) characters, none of them a comma or a control character.")
            }
            tags.append(tag)
        }
        self.tags = arguments.has("tag") ? tags : nil
        if let text, text.utf8.contains(0) || text.unicodeScalars.count > LinkPortrait.descriptionLimit {
            throw Self.description.usageError(
                "--description must have at most \(LinkPortrait.descriptionLimit) characters, none of them NUL.")
        }
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let (name, slug) = (try CollectionName(typed: name), try Slug(typed: slug))
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            switch try StoreAccess.asking({ () throws(StoreError) in try store.addMember(slug, to: name) }) {
            case .added, .alreadyMember: break
            case .noCollection: throw name.missing
            case .noLink: throw slug.missing
            }
            try StoreAccess.asking { () throws(StoreError) in
                if let tags { _ = try store.setTags(tags, of: slug) }
                if let text { _ = try store.setDescription(text.isEmpty ? nil : text, of: slug) }
            }
        }
    }
}
