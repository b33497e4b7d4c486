// `shorty key list`
internal import SQLiteStore
internal import Shortening
internal import Telemetry

struct KeyListCommand: Subcommand {
    static let description = CommandDescription(
        path: ["key", "list"], summary: "List the API keys.",
        options: [
            OptionDescription(name: "all", sentence: "Also those that were revoked."), .config, .database,
        ],
        details:
            "Prints a table of the keys: number, account, label and when they were made. The keys themselves are not kept.",
        examples: ["shorty key list"])

    private let access: StoreAccess
    private let showsRevoked: Bool

    init(_ arguments: ParsedArguments) {
        access = StoreAccess(arguments, of: Self.description)
        showsRevoked = arguments.has("all")
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            let keys = try StoreAccess.asking { () throws(StoreError) in try store.keys(includeRevoked: showsRevoked) }
            var rows = [["ID", "ACCOUNT", "LABEL", "CREATED (UTC)"] + (showsRevoked ? ["REVOKED (UTC)"] : [])]
            for key in keys {
                let revoked = key.revoked.map { UTCTime(secondsSince1970: $0).readable } ?? ""
                let row = ["\(key.id)", key.accountName, key.label, UTCTime(secondsSince1970: key.created).readable]
                rows.append(row + (showsRevoked ? [revoked] : []))
            }
            try surroundings.console.write(Table.text(rows))
        }
    }
}

/// Columns for people.
enum Table {
    /// Rows of equal length as lines; what could break a line is shown as a blank.
    static func text(_ rows: [[String]]) -> String {
        let rows = rows.map { $0.map(flattened) }
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    /// One line without anything that steers a terminal.
    static func flattened(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
