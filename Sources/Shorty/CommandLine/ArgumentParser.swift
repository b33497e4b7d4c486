// From words to options and operands, as a command's description says. Nothing here knows what they mean.
internal import Configuration

/// What followed a command's name.
struct ParsedArguments: Equatable, Sendable {
    /// By option name; an option without a value has an empty one.
    var values: [String: [String]] = [:]
    var operands: [String] = []
    /// Whether help was asked for; then nothing else counts.
    var asksForHelp = false

    /// The value of an option that may stand once.
    func value(_ option: String) -> String? { values[option]?.first }

    func has(_ option: String) -> Bool { values[option] != nil }
}

extension CommandDescription {
    /// Reads `--name value`, `--name=value`, `--` and operands, in any order; `-h` and `--help` anywhere before `--`.
    func parse(_ words: some Sequence<String>) throws(CommandError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = ArraySlice(Array(words))
        while let word = rest.popFirst() {
            if word == "--" {
                parsed.operands += rest
                break
            }
            if word == "--help" || word == "-h" { return ParsedArguments(asksForHelp: true) }
            if word.hasPrefix("-"), word != "-" {
                try readOption(word, &rest, into: &parsed)
            } else {
                parsed.operands.append(word)
            }
        }
        try checkCompleteness(of: parsed)
        return parsed
    }

    private func readOption(
        _ word: String, _ rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
    ) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = options.first(where: { "--" + $0.name == parts[0] }) else {
            let names = options.map { "--" + $0.name } + ["--help"]
            let guess = nearestName(to: String(parts[0]), among: names).map { "; did you mean \($0)?" } ?? "."
            throw usageError("`\(name)` has no option \(parts[0])" + guess)
        }
        if parsed.has(option.name), !option.isRepeatable { throw usageError("\(parts[0]) is given twice.") }
        var value = ""
        if let placeholder = option.placeholder {
            if parts.count == 2 {
                value = String(parts[1])
            } else if let next = rest.first, !next.hasPrefix("--") {
                value = next
                rest.removeFirst()
            } else {
                throw usageError("\(parts[0]) needs a value: \(option.title), or --\(option.name)=\(placeholder).")
            }
        } else if parts.count == 2 {
            throw usageError("\(parts[0]) takes no value.")
        }
        parsed.values[option.name, default: []].append(value)
    }

    private func checkCompleteness(of parsed: ParsedArguments) throws(CommandError) {
        for option in options where option.isRequired && !parsed.has(option.name) {
            throw usageError("`\(name)` needs \(option.title).")
        }
        let required = operands.prefix { $0.isRequired }
        if parsed.operands.count < required.count {
            throw usageError("`\(name)` needs \(required[parsed.operands.count].name).")
        }
        if parsed.operands.count > operands.count {
            throw usageError("`\(name)` can do nothing with \"\(parsed.operands[operands.count])\".")
        }
    }

    /// A usage error that leads to this command's help.
    func usageError(_ text: String) -> CommandError { .usage(text, command: name) }
}
