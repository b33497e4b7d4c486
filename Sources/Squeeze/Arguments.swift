// The command line, read and nothing more: no file is opened here and no variable looked up.
internal import SqueezeKit

/// What the command line asks for.
struct Arguments: Equatable {
    /// A long URL, `-` for standard input, nil only where help is wanted.
    var input: String?
    var server: String?
    var key: String?
    var keyFile: String?
    var timeout = Duration.seconds(30)
    var copies = false
    var wantsHelp = false

    static let usage = """
        usage: squeeze URL [options]      prints the short URL of URL
               squeeze - [options]        the same for every line of standard input

          --server URL       the shortener, like https://s.example (or SQUEEZE_SERVER)
          --key KEY          the account key (better SQUEEZE_KEY: other users can see command lines)
          --key-file FILE    a file that holds the account key (or SQUEEZE_KEY_FILE)
          --timeout SECONDS  the longest that one URL may take; 30 without it
          --copy             also copies what was printed, by wl-copy, xclip or pbcopy
          --help             prints this

        Options go before variables, SQUEEZE_KEY before SQUEEZE_KEY_FILE.
        Ends with 0 when every URL was shortened, 1 when one was not, 2 for a wrong command line or setting.

        """

    /// Reads the arguments behind the command's name. `--name=value` is `--name value`; all behind `--` is input.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)[...]
        var isOperandOnly = false
        while let argument = rest.popFirst() {
            if isOperandOnly || argument == "-" || !argument.hasPrefix("-") {
                try take(input: argument)
            } else if argument == "--" {
                isOperandOnly = true
            } else {
                try take(option: argument, &rest)
            }
        }
        if input == nil && !wantsHelp { throw UsageError("no URL; give one, or - to read them from standard input") }
        if key != nil && keyFile != nil { throw UsageError("--key and --key-file were both given; leave one away") }
    }

    private mutating func take(input argument: String) throws(UsageError) {
        guard input == nil else {
            throw UsageError("more than one URL; quote a URL that holds & or ;, or give several on standard input with -")
        }
        input = argument
    }

    private mutating func take(option argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let (name, attached) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
        switch name {
        case "--copy" where attached == nil: copies = true
        case "--help" where attached == nil, "-h" where attached == nil: wantsHelp = true
        case "--server": server = try value(of: name, attached, &rest)
        case "--key": key = try value(of: name, attached, &rest)
        case "--key-file": keyFile = try value(of: name, attached, &rest)
        case "--timeout":
            let text = try value(of: name, attached, &rest)
            // A year is as good as for ever, and keeps the arithmetic of clocks in range.
            guard let seconds = Double(text), seconds > 0, seconds <= 31_536_000 else {
                throw UsageError("--timeout \"\(text.excerpt)\" is not a number of seconds above 0")
            }
            timeout = .seconds(seconds)
        default: throw UsageError("unknown option \(name.excerpt); see squeeze --help")
        }
    }

    private func value(
        of name: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let value = attached ?? rest.popFirst() else { throw UsageError("\(name) wants a value behind it") }
        return value
    }
}

/// A command line or setting that cannot be followed, in words for who wrote it.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
