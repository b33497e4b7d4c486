// `shorty import`
internal import Configuration
internal import Glibc
internal import SQLiteStore
internal import Shortening
internal import Transfer

struct ImportCommand: Subcommand {
    static let description = CommandDescription(
        path: ["import"], summary: "Take links from a CSV or JSON lines file.",
        operands: [OperandDescription(name: "FILE")],
        options: [
            OptionDescription(
                name: "format", placeholder: "csv|jsonl",
                sentence: "What FILE holds. Taken from a name that ends in .csv or .jsonl; needed for any other."),
            OptionDescription(name: "strict", sentence: "Store nothing unless every row can be stored as it stands."),
            .publicURL, .config, .database,
        ],
        details: """
            Stores the links in FILE, or in standard input where FILE is -. CSV has a header line with the columns slug and \
            url, and if you like title, tags, created, clicks, listed and collection; commas, semicolons and tabs may separate \
            them. Several tags or collections in one cell have commas between; a collection that is not there yet is made, private. \
            JSON lines hold an object a line with the same names and everything else that `shorty export --format jsonl` \
            writes. Rows are checked as every add is; each that cannot be stored is named on standard error with its line and \
            the reason, and skipped. A slug that leads to the same URL already is left as it is, so the same import can be run \
            again. A running daemon goes on and serves the links at once. Exit code 1 where a row was skipped. With --strict all is \
            stored in one transaction, during which nobody else can store anything: a second or two for a million links.
            """,
        examples: ["shorty import links.csv", "shorty import --strict links.jsonl"])

    private let access: StoreAccess
    private let file: String
    private let format: TransferFormat
    private let isStrict: Bool

    init(_ arguments: ParsedArguments) throws(CommandError) {
        access = StoreAccess(arguments, of: Self.description)
        file = arguments.operands[0]
        isStrict = arguments.has("strict")
        guard let format = try TransferFormat(arguments, file: file, of: Self.description) else {
            throw Self.description.usageError(
                "--format csv or --format jsonl is missing: \(file) does not tell by its name.")
        }
        self.format = format
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let input = try TransferError.translated { () throws(TransferError) in try InputFile(file) }
        let meter = ProgressMeter(surroundings.console)
        try access.use(surroundings, createsFile: true) { store, settings throws(CommandError) in
            let start = ContinuousClock.now
            let bulk = try StoreAccess.asking { () throws(StoreError) in try store.bulkInsert() }
            var run = ImportRun(plan(store, settings), into: bulk) { line, reason in
                meter.say("line \(line): \(reason)")
            } progress: { progress in
                Self.show(progress, on: meter)
            }
            defer { meter.clear() }
            do throws(TransferError) {
                try run.run(input)
            } catch {
                meter.clear()
                if run.summary.added > 0 {
                    meter.say("\(ProgressText.links(run.summary.added)) were stored before; run the import again to go on.")
                }
                throw .failure(error.commandMessage)
            }
            meter.clear()
            if run.summary.added > 0 {
                StoreAccess.warnOfGuessedURL(settings, ShorteningRules(settings), surroundings.console)
            }
            try tell(run.summary, ContinuousClock.now - start, surroundings.console)
        }
    }

    private func plan(_ store: SQLiteStore, _ settings: Settings) -> ImportPlan {
        // Beside the store there is room for links, and somebody who may write.
        let folder = store.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        var plan = ImportPlan(
            format: format, rules: ShorteningRules(settings), now: Int64(time(nil)), scratch: folder.isEmpty ? "/" : folder)
        plan.isStrict = isStrict
        return plan
    }

    private static func show(_ progress: ImportProgress, on meter: ProgressMeter) {
        switch progress {
        case .reading(let done, let total): meter.show("Reading", done, of: total, unit: .bytes)
        case .comparing(let done, let total): meter.show("Comparing", done, of: total, unit: .links)
        case .storing(let done, let total): meter.show("Storing", done, of: total, unit: .links)
        }
    }

    private func tell(_ summary: ImportSummary, _ time: Duration, _ console: Console) throws(CommandError) {
        if !summary.unknownNames.isEmpty {
            let names = summary.unknownNames.joined(separator: ", ")
            let what = format == .csv ? "column" : "key"
            let isOne = summary.unknownNames.count == 1
            console.complain("The \(what)\(isOne ? "" : "s") \(names) \(isOne ? "is" : "are") not known and left out.")
        }
        var line =
            "\(ProgressText.grouped(summary.added)) added, \(ProgressText.grouped(summary.alreadyThere)) already there"
        if summary.repeated > 0 { line += ", \(ProgressText.grouped(summary.repeated)) repeated" }
        line += ", \(ProgressText.grouped(summary.bad)) bad, \(ProgressText.seconds(time))"
        if summary.added == 0 { line += ": nothing new" }
        try console.write(line + "\n")
        if summary.bad > 0 { throw .told }
    }
}

extension TransferFormat {
    /// The format that was asked for or that a file's name tells; nil where neither says anything.
    init?(_ arguments: ParsedArguments, file: String?, of command: CommandDescription) throws(CommandError) {
        if let name = arguments.value("format") {
            guard let format = TransferFormat(rawValue: name.lowercased()) else {
                throw command.usageError("--format is csv or jsonl, not \"\(name)\".")
            }
            self = format
            return
        }
        let name = file?.lowercased() ?? ""
        if name.hasSuffix(".csv") { self = .csv } else if name.hasSuffix(".jsonl") { self = .jsonl } else { return nil }
    }
}

extension TransferError {
    /// For whoever started the command: a failing store with its file and the library's words.
    var commandMessage: String {
        switch self {
        case .store(.full): "The store's disk is full. Make room and run it again."
        case .store(let error): error.startMessage
        default: message
        }
    }

    static func translated<Value>(_ body: () throws(TransferError) -> Value) throws(CommandError) -> Value {
        do throws(TransferError) {
            return try body()
        } catch {
            throw .failure(error.commandMessage)
        }
    }
}
