// `shorty key create`
internal import Configuration
internal import SQLiteStore
internal import Shortening

struct KeyCreateCommand: Subcommand {
    static let description = CommandDescription(
        path: ["key", "create"], summary: "Make an API key and print it once.",
        options: [
            OptionDescription(
                name: "name", placeholder: "NAME", isRequired: true,
                sentence: "The account that the key is for; made if new."),
            OptionDescription(
                name: "secret", placeholder: "TEXT",
                sentence: "The key itself, for clients whose key is fixed. Other users see it in lists of processes."),
            OptionDescription(name: "secret-file", placeholder: "FILE", sentence: "The same, read from a file."),
            OptionDescription(
                name: "account-key",
                sentence: "Insist on 32 hexadecimal digits, as the clients of X.co do; case does not matter."),
            OptionDescription(name: "label", placeholder: "TEXT", sentence: "What the key is called in lists."),
            .config, .database,
        ],
        details: """
            Makes a key, of 32 random hexadecimal digits unless you choose one, and prints it alone on standard output. It \
            cannot be shown again: only its digest is kept. A running daemon knows it at once.
            """,
        examples: [
            "shorty key create --name anna --label laptop", "shorty key create --name anna --account-key",
            "KEY=$(shorty key create --name script)",
        ])

    private let access: StoreAccess
    private let account: String
    private let label: String
    private let secret: String?
    private let secretFile: String?
    private let isAccountKey: Bool

    init(_ arguments: ParsedArguments) throws(CommandError) {
        access = StoreAccess(arguments, of: Self.description)
        account = arguments.value("name") ?? ""
        label = arguments.value("label") ?? ""
        secret = arguments.value("secret")
        secretFile = arguments.value("secret-file")
        isAccountKey = arguments.has("account-key")
        if account.isEmpty { throw Self.description.usageError("--name is empty; name the account that the key is for.") }
        if secret != nil, secretFile != nil {
            throw Self.description.usageError("--secret and --secret-file are both given; take one away.")
        }
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let secret = try chosenSecret() ?? .generate()
        guard !isAccountKey || secret.isAccountKey else {
            throw .failure("An account key has exactly 32 hexadecimal digits; leave --secret out to get one.")
        }
        try access.use(surroundings, createsFile: true) { store, _ throws(CommandError) in
            let key = try StoreAccess.asking { () throws(StoreError) in
                try store.createKey(account: account, label: label, digest: secret.digest)
            }
            guard key != nil else {
                throw .failure("There is a key with this secret already; choose another, or leave --secret out.")
            }
            try surroundings.console.write(secret.text + "\n")
        }
    }

    private func chosenSecret() throws(CommandError) -> KeySecret? {
        var text = secret
        if let secretFile {
            do {
                text = try SecretFile.read(secretFile)
            } catch {
                throw .failure("The file \"\(secretFile)\" \(error.reason).")
            }
        }
        guard let text else { return nil }
        do {
            return try KeySecret(chosen: text)
        } catch {
            throw .failure(error.message)
        }
    }
}

extension KeySecretError {
    /// What was wrong and what to do, without the secret.
    var message: String {
        switch self {
        case .empty: "The secret is empty; give at least one character, or leave it out."
        case .tooLong(let limit): "The secret is too long; at most \(limit) bytes are allowed."
        case .character(let scalar):
            "The secret holds \(Self.name(of: scalar)); allowed are A-Z a-z 0-9 and - . _ ~ ! $ & ' ( ) * + , ; = : @."
        case .shape: "The secret is . or .., which no client can send in a path; choose another."
        }
    }

    private static func name(of scalar: Unicode.Scalar) -> String {
        if scalar == " " { return "a space" }
        return ("!"..."~").contains(scalar) ? "\"\(scalar)\"" : "U+" + String(scalar.value, radix: 16, uppercase: true)
    }
}
