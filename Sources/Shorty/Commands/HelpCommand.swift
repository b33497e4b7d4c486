// `shorty help`

struct HelpCommand: Subcommand {
    static let description = CommandDescription(
        path: ["help"], summary: "Print help, of one command or of all.",
        operands: [
            OperandDescription(name: "COMMAND", isRequired: false), OperandDescription(name: "PART", isRequired: false),
        ],
        details: "Prints what a command does and takes; without one, the list of commands.",
        examples: ["shorty help serve", "shorty help key create"])

    private let topic: [String]

    init(topic: [String]) { self.topic = topic }

    init(_ arguments: ParsedArguments) { topic = arguments.operands }

    func run(in surroundings: Surroundings) throws(CommandError) {
        guard let name = topic.first else {
            return try surroundings.console.write(HelpText.overview(Shorty.descriptions))
        }
        let group = Shorty.descriptions.filter { $0.path.count > 1 && $0.path[0] == name }
        if topic.count == 1, !group.isEmpty {
            return try surroundings.console.write(group.map(HelpText.command).joined(separator: "\n"))
        }
        try surroundings.console.write(HelpText.command(try Shorty.find(topic).description))
    }
}
