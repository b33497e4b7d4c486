// How the commands that work on the store open it, beside a running daemon or without one.
internal import Configuration
internal import SQLiteStore
internal import Shortening

/// A command's way to the store and the rules that hold there.
struct StoreAccess {
    private let options: SettingOptions
    private let command: CommandDescription

    /// For a command that takes `--config` and `--database`.
    init(_ arguments: ParsedArguments, of command: CommandDescription) {
        options = SettingOptions(arguments, of: command)
        self.command = command
    }

    /// The name of the store's file by the settings.
    func database(_ surroundings: Surroundings) throws(CommandError) -> String {
        try options.load(surroundings, for: command).settings.store.database
    }

    /// Opens the store, hands it to `body` and closes it. Makes the file only where `createsFile` says so: a mistyped name
    /// must not end in an empty list; nor is it made where `judging` throws, which is called before. Blocks.
    func use(
        _ surroundings: Surroundings, createsFile: Bool, judging: (Settings) throws(CommandError) -> Void = { _ in },
        _ body: (SQLiteStore, Settings) throws(CommandError) -> Void
    ) throws(CommandError) {
        if createsFile, let missing = MissingLibrary() { throw .failure(missing.message) }
        let settings = try options.load(surroundings, for: command).settings
        try judging(settings)
        var options = SQLiteStore.Options()
        options.createIfMissing = createsFile
        options.writeWait = settings.store.writeWait
        let console = surroundings.console
        options.onStep = {
            console.complain("shorty: bringing the store up to date (\($0)), which takes a while where links are many.")
        }
        let store = try Self.asking { () throws(StoreError) in
            try SQLiteStore.open(file: settings.store.database, options: options)
        }
        defer { store.close() }
        try body(store, settings)
        if store.isNew {
            // A relative name in the wrong folder is easily given; the daemon would never hear of what is stored here.
            console.complain(
                "shorty: made a new store, \(store.path); name a running daemon's with --database or SHORTY_STORE_DATABASE."
            )
        }
    }

    /// Says what short URLs were taken to begin with where no setting says it: a daemon's own flags are known to it alone, so it
    /// may give them another beginning. To be called when something was stored.
    static func warnOfGuessedURL(_ settings: Settings, _ rules: ShorteningRules, _ console: Console) {
        guard settings.server.publicURL == nil else { return }
        console.complain(
            "shorty: no public-url is set, so short URLs are taken to begin with \(rules.publicURL); give the daemon's with "
                + "--public-url or SHORTY_SERVER_PUBLIC_URL.")
    }

    /// Turns the store's errors into the command's.
    static func asking<Value>(_ question: () throws(StoreError) -> Value) throws(CommandError) -> Value {
        do throws(StoreError) {
            return try question()
        } catch {
            throw .failure(error.startMessage)
        }
    }
}
