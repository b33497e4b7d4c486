// `shorty remove`
internal import Configuration
internal import SQLiteStore
internal import Shortening

struct RemoveCommand: Subcommand {
    static let description = CommandDescription(
        path: ["remove"], summary: "Remove a link.", operands: [OperandDescription(name: "SLUG")],
        options: [.config, .database],
        details:
            "Removes the link with this slug. Its slug is never generated again. A running daemon stops serving it at once.",
        examples: ["shorty remove talk"])

    private let access: StoreAccess
    private let text: String

    init(_ arguments: ParsedArguments) {
        access = StoreAccess(arguments, of: Self.description)
        text = arguments.operands[0]
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let slug = try Slug(typed: text)
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            let isRemoved = try StoreAccess.asking { () throws(StoreError) in try store.remove(slug) }
            if !isRemoved { throw slug.missing }
        }
    }
}
