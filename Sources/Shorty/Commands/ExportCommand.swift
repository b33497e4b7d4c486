// `shorty export`
internal import Configuration
internal import SQLiteStore
internal import Shortening
internal import Transfer

struct ExportCommand: Subcommand {
    static let description = CommandDescription(
        path: ["export"], summary: "Write all links as CSV or JSON lines.",
        options: [
            OptionDescription(
                name: "format", placeholder: "csv|jsonl",
                sentence:
                    "csv for spreadsheets, unless the output's name ends in .jsonl; jsonl for everything that is kept."),
            OptionDescription(
                name: "output", placeholder: "FILE", sentence: "Write FILE instead of standard output, which - is."),
            .config, .database,
        ],
        details: """
            Writes all links in the order of their slugs, those of more than ten characters last; equal stores give equal files. \
            CSV has slug, url, title, tags, created, clicks, listed and collection; a cell that a spreadsheet would take for a \
            formula gets an apostrophe in front, which an import takes away again. JSON lines also hold owners, events, \
            descriptions, collections and the slugs of removed links; keys and passwords are in neither. FILE gets its name when \
            it is whole, and only you may read it. Links that are added meanwhile may be missing.
            """,
        examples: ["shorty export --output links.csv", "shorty export --format jsonl | gzip >links.jsonl.gz"])

    private let access: StoreAccess
    private let format: TransferFormat
    private let file: String?

    init(_ arguments: ParsedArguments) throws(CommandError) {
        access = StoreAccess(arguments, of: Self.description)
        file = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
        format = try TransferFormat(arguments, file: file, of: Self.description) ?? .csv
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let console = surroundings.console
        let meter = ProgressMeter(console)
        if let file {
            let database = try access.database(surroundings)
            try StoreAccess.asking { () throws(StoreError) in try SQLiteStore.checkExportPlace(file, of: database) }
        }
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            let start = ContinuousClock.now
            let records = try StoreAccess.asking { () throws(StoreError) in try store.records() }
            // Links that run over the terminal are progress enough.
            let isQuiet = file == nil && console.isTerminal
            let run = ExportRun(format, from: records) { count in
                if !isQuiet { meter.show("Writing", count, of: nil, unit: .links) }
            }
            defer { meter.clear() }
            let count = try TransferError.translated { () throws(TransferError) in
                let output =
                    try file.map { name throws(TransferError) in try OutputFile(name) }
                    ?? OutputFile(borrowing: console.output, name: "standard output")
                let count = try run.run { bytes throws(TransferError) in try output.write(bytes) }
                try output.finish()
                return count
            }
            meter.say("\(ProgressText.links(count)) exported, \(ProgressText.seconds(ContinuousClock.now - start))")
        }
    }
}
