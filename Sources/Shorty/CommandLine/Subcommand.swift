// What every command is to the program.
internal import Configuration

/// A command of the program: a description, what was typed, and the deed.
protocol Subcommand {
    static var description: CommandDescription { get }

    /// Takes what was typed; throws a usage error where it cannot be meant.
    init(_ arguments: ParsedArguments) throws(CommandError)

    /// Does it. Blocks until it is done.
    func run(in surroundings: Surroundings) throws(CommandError)
}

/// What a command finds around it.
struct Surroundings: Sendable {
    var environment: [String: String] = [:]
    var console = Console()
}

/// The settings of a command that uses some: the flags that were typed, and the file that one of them names.
struct SettingOptions: Sendable {
    let file: String?
    let flags: [SettingSources.Flag]

    /// Takes the options that stand for settings out of what was typed.
    init(_ arguments: ParsedArguments, of command: CommandDescription) {
        file = arguments.value(OptionDescription.config.name)
        flags = command.options.compactMap { option in
            guard let key = option.setting, let values = arguments.values[option.name] else { return nil }
            let input = option.isRepeatable ? SettingInput.list(values) : .text(values[0])
            return SettingSources.Flag(name: "--" + option.name, key: key, input: input)
        }
    }

    /// Reads and checks all settings. Where nothing but flags is wrong, that is a usage error.
    func load(_ surroundings: Surroundings, for command: CommandDescription) throws(CommandError) -> EffectiveSettings {
        do {
            return try SettingSources(file: file, environment: surroundings.environment, flags: flags).load()
        } catch {
            let areFlags = error.problems.allSatisfy { if case .notAllowed(_, .flag, _, _) = $0 { true } else { false } }
            let lines = error.problems.map(\.message)
            if areFlags { throw command.usageError(lines.joined(separator: "\n")) }
            throw .failure(lines)
        }
    }
}
