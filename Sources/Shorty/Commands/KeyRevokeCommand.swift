// `shorty key revoke`
internal import SQLiteStore
internal import Shortening

struct KeyRevokeCommand: Subcommand {
    static let description = CommandDescription(
        path: ["key", "revoke"], summary: "End an API key.", operands: [OperandDescription(name: "ID")],
        options: [.config, .database],
        details: "Ends the key with the number that `shorty key list` shows. A running daemon refuses it at once.",
        examples: ["shorty key revoke 2"])

    private let access: StoreAccess
    private let id: Int64

    init(_ arguments: ParsedArguments) throws(CommandError) {
        access = StoreAccess(arguments, of: Self.description)
        guard let id = Int64(arguments.operands[0]) else {
            throw Self.description.usageError("\"\(arguments.operands[0])\" is no number; `shorty key list` shows them.")
        }
        self.id = id
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            let isEnded = try StoreAccess.asking { () throws(StoreError) in try store.revokeKey(id) }
            if !isEnded { throw .failure("There is no live key with the number \(id); `shorty key list` shows them.") }
        }
    }
}
