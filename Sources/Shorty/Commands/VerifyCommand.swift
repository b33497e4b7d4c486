// `shorty verify`
internal import Configuration
internal import SQLiteStore
internal import Shortening

struct VerifyCommand: Subcommand {
    static let description = CommandDescription(
        path: ["verify"], summary: "Check whether the store or a backup is sound.",
        operands: [OperandDescription(name: "FILE", isRequired: false)], options: [.config, .database],
        details: """
            Reads every page, index and reference of FILE, or of the store, also while the daemon runs, and changes nothing. Fails \
            with the problems where there are some.
            """,
        examples: ["shorty verify", "shorty verify /mnt/other-disk/shorty.db"])

    private let options: SettingOptions
    private let file: String?

    init(_ arguments: ParsedArguments) {
        options = SettingOptions(arguments, of: Self.description)
        file = arguments.operands.first
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        // The settings are read, and their faults told, even where nothing of them is needed.
        let settings = try options.load(surroundings, for: Self.description).settings
        let name = file ?? settings.store.database
        let verdict = try StoreAccess.asking { () throws(StoreError) in try SQLiteStore.verify(file: name) }
        if !verdict.problems.isEmpty {
            throw .failure(
                verdict.problems.map { "\(verdict.path): \($0)" } + [
                    "\(verdict.path) is damaged. If it is the store, restore a backup; if it is a backup, use an earlier one."
                ])
        }
        try surroundings.console.write("\(verdict.path) is sound: \(ProgressText.links(Int(verdict.links)))\n")
    }
}
