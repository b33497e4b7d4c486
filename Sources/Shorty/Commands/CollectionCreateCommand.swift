// `shorty collection create`
internal import SQLiteStore
internal import Shortening

struct CollectionCreateCommand: Subcommand {
    static let description = CommandDescription(
        path: ["collection", "create"], summary: "Make an empty collection of links.",
        operands: [OperandDescription(name: "NAME")],
        options: [
            OptionDescription(name: "private", sentence: "Only accounts with a password may read it."), .config, .database,
        ],
        details: """
            Makes an empty collection. A daemon lists it at /NAME.json for everybody unless it is private, at \
            /private/NAME.json for accounts with a password (`shorty user create`), and leads from /NAME/random to a random \
            link of a public one.
            """,
        examples: ["shorty collection create courses", "shorty collection create drafts --private"])

    private let access: StoreAccess
    private let name: String
    private let isPublic: Bool

    init(_ arguments: ParsedArguments) {
        access = StoreAccess(arguments, of: Self.description)
        name = arguments.operands[0]
        isPublic = !arguments.has("private")
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let name = try CollectionName(typed: name)
        try access.use(surroundings, createsFile: true) { store, _ throws(CommandError) in
            let isMade = try StoreAccess.asking { () throws(StoreError) in
                try store.createCollection(name, isPublic: isPublic)
            }
            if !isMade { throw .failure("There is a collection \"\(name.text)\" already; choose another name.") }
        }
    }
}
