// `shorty backup`
internal import Configuration
internal import SQLiteStore
internal import Shortening

struct BackupCommand: Subcommand {
    static let description = CommandDescription(
        path: ["backup"], summary: "Write a backup of the store, also while the daemon runs.",
        operands: [OperandDescription(name: "FILE")], options: [.config, .database],
        details: """
            Writes FILE, one file that holds everything acknowledged before the command began; the daemon goes on meanwhile. FILE \
            gets its name when it is whole, checked and on the disk, and only the owner of its folder may read it. An earlier \
            backup of that name is replaced then; any other file is left alone. With `backup.every` in the settings the daemon \
            makes backups by itself.
            """,
        examples: ["shorty backup /mnt/other-disk/shorty.db"])

    private let options: SettingOptions
    private let file: String

    init(_ arguments: ParsedArguments) {
        options = SettingOptions(arguments, of: Self.description)
        file = arguments.operands[0]
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let database = try options.load(surroundings, for: Self.description).settings.store.database
        let report = CopyReport(surroundings.console)
        let copy = try StoreAccess.asking { () throws(StoreError) in
            do throws(StoreError) {
                return try SQLiteStore.backUp(database, to: file, goesOn: report.goesOn)
            } catch .full {
                throw .failed("There is no room for \(file). What had that name before is as it was.")
            }
        }
        try report.finish(copy)
    }
}

/// How a copy of the store gets on, and what came of it.
final class CopyReport {
    private let console: Console
    private let meter: ProgressMeter
    private let start = ContinuousClock.now

    init(_ console: Console) {
        self.console = console
        meter = ProgressMeter(console)
    }

    deinit { meter.clear() }

    /// Shows pages, of SQLite's usual size, as what they take.
    func goesOn(_ done: Int, _ all: Int) -> Bool {
        meter.show("Copying", done * 4_096, of: all * 4_096, unit: .bytes)
        return true
    }

    /// Says links, bytes and seconds in one line.
    func finish(_ copy: StoreCopy) throws(CommandError) {
        meter.clear()
        let (links, bytes) = (ProgressText.links(Int(copy.links)), ProgressText.grouped(Int(copy.bytes)))
        try console.write("\(copy.path): \(links), \(bytes) bytes, \(ProgressText.seconds(.now - start))\n")
    }
}
