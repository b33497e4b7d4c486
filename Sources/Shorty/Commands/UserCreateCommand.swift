// `shorty user create`
internal import SQLiteStore
internal import Shortening

struct UserCreateCommand: Subcommand {
    static let description = CommandDescription(
        path: ["user", "create"], summary: "Give an account a password.", operands: [OperandDescription(name: "NAME")],
        options: [.config, .database],
        details: """
            Makes an account with a password, or gives one that exists another password, which ends the old one at once. Whoever \
            has it may read private collections. The password is asked for on a terminal, and read from the first line of \
            standard input elsewhere.
            """,
        examples: ["shorty user create anna"])

    private let access: StoreAccess
    private let name: String

    init(_ arguments: ParsedArguments) throws(CommandError) {
        access = StoreAccess(arguments, of: Self.description)
        name = arguments.operands[0]
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != ":" }
        guard !name.isEmpty, name.unicodeScalars.count <= 100, isPlain else {
            // RFC 7617 §2: a colon ends the name where it is sent with a password.
            throw Self.description.usageError(
                "NAME must have 1 to 100 characters, none of them a colon or a control character.")
        }
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let password = try PasswordPrompt(console: surroundings.console).newPassword(for: name)
        guard let hash = PasswordHash(of: password) else {
            throw .failure("There is no memory to hash a password (32 MiB); nothing was changed.")
        }
        try access.use(surroundings, createsFile: true) { store, _ throws(CommandError) in
            let done = try StoreAccess.asking { () throws(StoreError) in
                let (isNew, hadNone) = (try store.account(named: name) == nil, try store.password(of: name) == nil)
                try store.setPassword(hash, of: name)
                return isNew ? "made the account" : hadNone ? "gave a password to the account" : "changed the password of"
            }
            surroundings.console.complain("\(done) \(name)")
        }
    }
}
