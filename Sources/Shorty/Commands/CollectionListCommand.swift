// `shorty collection list`
internal import SQLiteStore
internal import Shortening

struct CollectionListCommand: Subcommand {
    static let description = CommandDescription(
        path: ["collection", "list"], summary: "List the collections.", options: [.config, .database],
        details: "Prints a table of the collections: name, who may read them, and how many links are in them.",
        examples: ["shorty collection list"])

    private let access: StoreAccess

    init(_ arguments: ParsedArguments) { access = StoreAccess(arguments, of: Self.description) }

    func run(in surroundings: Surroundings) throws(CommandError) {
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            let all = try StoreAccess.asking { () throws(StoreError) in try store.collections() }
            let rows = all.map {
                [$0.collection.name.text, $0.collection.isPublic ? "public" : "private", "\($0.members)"]
            }
            try surroundings.console.write(Table.text([["NAME", "READERS", "LINKS"]] + rows))
        }
    }
}
