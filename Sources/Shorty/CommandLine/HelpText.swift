// Help as it is printed: at most 80 columns, made from the commands' descriptions.

/// Puts help together.
enum HelpText {
    static let width = 80

    /// All commands.
    static func overview(_ commands: [CommandDescription]) -> String {
        let column = (commands.map { $0.name.count }.max() ?? 0) + 4
        let list = commands.map { entry($0.name, $0.summary, column: column) }
        return """
            Shorty is a URL shortener: one daemon, one SQLite file.

            Usage: shorty COMMAND [OPTION]...

            Commands:
            \(list.joined(separator: "\n"))

            `shorty help COMMAND` tells more about one.
            Exit codes: 0 done, 1 failed, 2 wrong usage.

            """
    }

    /// One command.
    static func command(_ command: CommandDescription) -> String {
        var text = wrapped(["Usage:"] + command.usage, first: 0, rest: 9) + "\n\n" + wrapped(words(command.details)) + "\n"
        let column = min(24, (command.options.map { $0.title.count }.max() ?? 0) + 4)
        if !command.options.isEmpty {
            text += "\nOptions:\n"
            for option in command.options { text += entry(option.title, option.sentence, column: column) + "\n" }
        }
        text += command.examples.count > 1 ? "\nExamples:\n" : "\nExample:\n"
        return text + command.examples.map { "  \($0)\n" }.joined()
    }

    /// A title and what it means, in two columns.
    private static func entry(_ title: String, _ meaning: String, column: Int) -> String {
        let lines = wrapped(words(meaning), first: column, rest: column)
        let indent = String(repeating: " ", count: column)
        let start = "  " + title
        if start.count + 2 > column { return start + "\n" + indent + lines }
        return start + String(repeating: " ", count: column - start.count) + lines
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// Lines of whole words. `first` columns of the first line are taken already; the others are indented by `rest`.
    private static func wrapped(_ words: [String], first: Int = 0, rest: Int = 0) -> String {
        var result = ""
        var column = first
        for (index, word) in words.enumerated() {
            if index > 0, column + 1 + word.count > width {
                result += "\n" + String(repeating: " ", count: rest)
                column = rest
            } else if index > 0 {
                result += " "
                column += 1
            }
            result += word
            column += word.count
        }
        return result
    }
}
