// `shorty collection remove`
internal import SQLiteStore
internal import Shortening

struct CollectionRemoveCommand: Subcommand {
    static let description = CommandDescription(
        path: ["collection", "remove"], summary: "Remove a collection, or a link from one.",
        operands: [OperandDescription(name: "NAME"), OperandDescription(name: "SLUG", isRequired: false)],
        options: [.config, .database],
        details: """
            Removes the collection, or only the link with this slug from it. The links themselves stay: `shorty remove` removes \
            those.
            """,
        examples: ["shorty collection remove courses", "shorty collection remove courses swift-in-depth"])

    private let access: StoreAccess
    private let name: String
    private let slug: String?

    init(_ arguments: ParsedArguments) {
        access = StoreAccess(arguments, of: Self.description)
        name = arguments.operands[0]
        slug = arguments.operands.dropFirst().first
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let name = try CollectionName(typed: name)
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            guard let slug else {
                let isRemoved = try StoreAccess.asking { () throws(StoreError) in try store.removeCollection(name) }
                if !isRemoved { throw name.missing }
                return
            }
            let member = try Slug(typed: slug)
            let isRemoved = try StoreAccess.asking { () throws(StoreError) in try store.removeMember(member, from: name) }
            if !isRemoved { throw .failure("The link \"\(member.text)\" is not in a collection \"\(name.text)\".") }
        }
    }
}
