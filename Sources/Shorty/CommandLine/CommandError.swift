// How a command can end other than well.

/// Why a command ended, in whole sentences for whoever typed it.
enum CommandError: Error, Equatable {
    /// What was typed cannot be meant: exit code 2. `command` is the one whose help is of use; empty for the program's.
    case usage(String, command: String)
    /// It could not be done: exit code 1. A line each.
    case failure([String])
    /// It could not be done, and that was said already: exit code 1.
    case told

    static func failure(_ line: String) -> CommandError { .failure([line]) }

    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failure, .told: 1
        }
    }

    /// What is said on standard error.
    var lines: [String] {
        switch self {
        case .usage(let text, let command):
            ["shorty: \(text)", "Try `shorty help\(command.isEmpty ? "" : " " + command)`."]
        case .failure(let lines): lines.map { "shorty: \($0)" }
        case .told: []
        }
    }
}
