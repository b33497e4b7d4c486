// What a command looks like from outside: its name, what may follow it, and what is said about it. Parsing, help and
// messages all come from these values.

/// A subcommand's face.
struct CommandDescription: Sendable {
    /// `["key", "create"]`.
    let path: [String]
    /// One line for the list of commands.
    let summary: String
    /// What follows the name without a dash.
    var operands: [OperandDescription] = []
    var options: [OptionDescription] = []
    /// Whole sentences.
    let details: String
    let examples: [String]

    var name: String { path.joined(separator: " ") }

    /// `shorty key create --name NAME [--secret TEXT]`, in parts that must not be broken.
    var usage: [String] {
        ["shorty " + name] + options.map(\.usage) + operands.map(\.usage)
    }
}

/// A value that follows a command's name.
struct OperandDescription: Sendable {
    /// In capitals: `URL`.
    let name: String
    var isRequired = true

    var usage: String { isRequired ? name : "[\(name)]" }
}

/// `--name` or `--name VALUE`.
struct OptionDescription: Sendable {
    /// Without the dashes.
    let name: String
    /// What stands for its value in help; nil where it takes none.
    var placeholder: String?
    var isRepeatable = false
    var isRequired = false
    /// The setting that it gives, if it gives one.
    var setting: String?
    let sentence: String

    var title: String { placeholder.map { "--\(name) \($0)" } ?? "--\(name)" }

    var usage: String {
        let once = isRequired ? title : "[\(title)]"
        return isRepeatable ? once + "..." : once
    }
}

extension OptionDescription {
    static let config = OptionDescription(
        name: "config", placeholder: "FILE", sentence: "Read settings from FILE, written as config/shorty.json5 shows.")
    static let database = OptionDescription(
        name: "database", placeholder: "FILE", setting: "store.database",
        sentence: "The SQLite file that holds everything.")
    static let listen = OptionDescription(
        name: "listen", placeholder: "ADDR", isRepeatable: true, setting: "server.listen",
        sentence:
            "Listen on 127.0.0.1:8080, [::1]:8080, :8080 (every address) or unix:/path; port 0 takes a free one. With tls: "
            + "before it for HTTPS, with proxy: for the PROXY protocol.")
    static let publicURL = OptionDescription(
        name: "public-url", placeholder: "URL", setting: "server.public-url",
        sentence: "What short URLs begin with, like https://s.example.")
}
