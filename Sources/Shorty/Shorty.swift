// The program: finds the command that was asked for, runs it, and turns its end into an exit code.
internal import Configuration

enum Shorty {
    /// Every command, in the order of the help.
    static var commands: [any Subcommand.Type] {
        [
            ServeCommand.self, DemoCommand.self, KeyCreateCommand.self, KeyListCommand.self, KeyRevokeCommand.self,
            UserCreateCommand.self, AddCommand.self, ListCommand.self, RemoveCommand.self, ImportCommand.self,
            ExportCommand.self, CollectionCreateCommand.self, CollectionListCommand.self, CollectionRemoveCommand.self,
            CollectionAddCommand.self, EventAddCommand.self, BackupCommand.self, RestoreCommand.self, VerifyCommand.self,
            HealthCommand.self, CheckConfigCommand.self, VersionCommand.self, HelpCommand.self,
        ]
    }

    /// Their descriptions. (A key path through the metatypes crashes the compiler of Swift 6.3.1.)
    static var descriptions: [CommandDescription] { commands.map { $0.description } }

    /// Runs the command that `arguments` (without the program's name) ask for. Returns 0 where it was done, 1 where it
    /// failed, 2 where the arguments were wrong. Blocks.
    static func run(arguments: [String], in surroundings: Surroundings) -> Int32 {
        do throws(CommandError) {
            try dispatch(arguments, surroundings)
            return 0
        } catch {
            error.lines.forEach(surroundings.console.complain)
            return error.exitCode
        }
    }

    private static func dispatch(_ arguments: [String], _ surroundings: Surroundings) throws(CommandError) {
        switch arguments.first {
        case "-h", "--help": return try HelpCommand(topic: []).run(in: surroundings)
        case "--version": return try VersionCommand().run(in: surroundings)
        case nil: throw .usage("a command is missing.", command: "")
        default: break
        }
        let command = try find(arguments)
        let description = command.description
        let parsed = try description.parse(arguments.dropFirst(description.path.count))
        if parsed.asksForHelp { return try surroundings.console.write(HelpText.command(description)) }
        try command.init(parsed).run(in: surroundings)
    }

    /// The command whose name the words begin with.
    static func find(_ words: [String]) throws(CommandError) -> any Subcommand.Type {
        if let command = commands.first(where: { words.starts(with: $0.description.path) }) { return command }
        let first = words.first ?? ""
        let group = descriptions.map(\.path).filter { $0.count > 1 && $0[0] == first }
        if !group.isEmpty {
            let names = group.map { "`\($0.joined(separator: " "))`" }
            throw .usage("`\(first)` needs a second word: \(names.joined(separator: ", ")).", command: "")
        }
        let guess = nearestName(to: first, among: descriptions.map { $0.path[0] })
        throw .usage("there is no command \"\(first)\"" + (guess.map { "; did you mean `\($0)`?" } ?? "."), command: "")
    }
}
