// `shorty version`

struct VersionCommand: Subcommand {
    static let description = CommandDescription(
        path: ["version"], summary: "Print the version.", details: "Prints the program's name and version on one line.",
        examples: ["shorty version"])

    init() {}

    init(_ arguments: ParsedArguments) {}

    func run(in surroundings: Surroundings) throws(CommandError) {
        try surroundings.console.write("shorty \(Version.text)\n")
    }
}
