// What the program makes of what is typed.
import Testing

@testable import Shorty

struct CommandLineTests {
    private let command = CommandDescription(
        path: ["do", "it"], summary: "",
        operands: [OperandDescription(name: "URL"), OperandDescription(name: "MORE", isRequired: false)],
        options: [
            OptionDescription(name: "name", placeholder: "NAME", sentence: ""),
            OptionDescription(name: "listen", placeholder: "ADDR", isRepeatable: true, sentence: ""),
            OptionDescription(name: "json", sentence: ""),
        ], details: "", examples: [""])

    @Test(arguments: [
        (["u"], [:], ["u"]), (["--name", "n", "u"], ["name": ["n"]], ["u"]), (["u", "--name=n"], ["name": ["n"]], ["u"]),
        (["--name=a=b", "u"], ["name": ["a=b"]], ["u"]), (["--name=", "u"], ["name": [""]], ["u"]),
        (["--name=--json", "u"], ["name": ["--json"]], ["u"]), (["--name", "-x", "u"], ["name": ["-x"]], ["u"]),
        (["--json", "u"], ["json": [""]], ["u"]), (["--", "--json"], [:], ["--json"]), (["-", "u"], [:], ["-", "u"]),
        (["--listen", "a", "u", "--listen=b", "v"], ["listen": ["a", "b"]], ["u", "v"]),
        (["u", "--", "--"], [:], ["u", "--"]),
    ])
    func `options and operands are told apart`(words: [String], values: [String: [String]], operands: [String]) throws {
        #expect(try command.parse(words) == ParsedArguments(values: values, operands: operands))
    }

    @Test(arguments: [
        ([], "`do it` needs URL."), (["a", "b", "c"], "`do it` can do nothing with \"c\"."),
        (["u", "--nam", "x"], "`do it` has no option --nam; did you mean --name?"),
        (["u", "-v"], "`do it` has no option -v."),
        (["u", "--name"], "--name needs a value: --name NAME, or --name=NAME."),
        (["u", "--name", "--json"], "--name needs a value: --name NAME, or --name=NAME."),
        (["u", "--json=yes"], "--json takes no value."), (["u", "--name=a", "--name=b"], "--name is given twice."),
        (["u", "--jsn=1"], "`do it` has no option --jsn; did you mean --json?"),
    ])
    func `what cannot be meant is a usage error`(words: [String], message: String) {
        #expect(throws: CommandError.usage(message, command: "do it")) { try command.parse(words) }
    }

    @Test(arguments: [["-h"], ["--help"], ["u", "v", "w", "--help"], ["--name", "n", "-h"]])
    func `help can be asked for anywhere`(words: [String]) throws {
        #expect(try command.parse(words).asksForHelp)
    }

    @Test func `a missing required option is a usage error`() {
        #expect(throws: CommandError.usage("`key create` needs --name NAME.", command: "key create")) {
            try KeyCreateCommand.description.parse([])
        }
    }

    @Test func `every help fits 80 columns and has an example`() throws {
        let texts = Shorty.descriptions.map { HelpText.command($0) } + [HelpText.overview(Shorty.descriptions)]
        for text in texts {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 80 && !line.hasSuffix(" "), "\(line)") }
        }
        for description in Shorty.descriptions {
            let help = HelpText.command(description)
            for option in description.options { #expect(help.contains("  \(option.title)")) }
            for example in description.examples { #expect(example.contains("shorty \(description.name)")) }
        }
    }

    @Test func `every example is one that the program understands`() throws {
        for description in Shorty.descriptions {
            for example in description.examples where !example.contains("$(") {
                let words = example.split(separator: "|")[0].split(separator: " ").map(String.init).dropFirst()
                let command = try Shorty.find(Array(words))
                #expect(command.description.name == description.name)
                _ = try command.init(description.parse(words.dropFirst(description.path.count)))
            }
        }
    }
}
