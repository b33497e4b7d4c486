// `shorty restore`
internal import Configuration
internal import SQLiteStore
internal import Shortening

struct RestoreCommand: Subcommand {
    static let description = CommandDescription(
        path: ["restore"], summary: "Put a backup in the store's place.",
        operands: [OperandDescription(name: "FILE")], options: [.config, .database],
        details: """
            Makes the store the same as the backup FILE, which stays. Checks FILE first, and changes nothing where it is damaged or \
            something else, and while a daemon or a command uses the store. What was there before is not deleted: it is moved \
            aside, its log with it, to a name with `before-restore` and the time in it, which is said. The new file belongs to \
            the user to whom the old one belonged, or its folder.
            """,
        examples: ["shorty restore /mnt/other-disk/shorty.db --database /var/lib/shorty/shorty.db"])

    private let options: SettingOptions
    private let file: String

    init(_ arguments: ParsedArguments) {
        options = SettingOptions(arguments, of: Self.description)
        file = arguments.operands[0]
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let database = try options.load(surroundings, for: Self.description).settings.store.database
        let report = CopyReport(surroundings.console)
        let restored = try StoreAccess.asking { () throws(StoreError) in
            do throws(StoreError) {
                return try SQLiteStore.restore(file, to: database, goesOn: report.goesOn)
            } catch .full {
                throw .failed("There is no room for a second store beside \(database). Nothing was changed.")
            }
        }
        if let setAside = restored.setAside {
            surroundings.console.complain("What was there before is \(setAside) now; delete it when you no longer need it.")
        }
        try report.finish(restored.copy)
    }
}
