// The kinds of values that settings have: how each is read, what is allowed, and how it is written again.
internal import Telemetry

/// A value as it was given, before anybody knows what it is for.
package enum SettingInput: Equatable, Sendable {
    /// A quoted string of the file, or anything from the environment or a flag.
    case text(String)
    /// A number, `true` or `false` of the file.
    case literal(String)
    /// A list of strings.
    case list([String])
    /// `null`.
    case none

    /// What stands for one value, quoted or not.
    var word: String? {
        switch self {
        case .text(let text), .literal(let text): text
        case .list, .none: nil
        }
    }
}

/// How values of one type are read and written.
struct SettingKind<Value: Sendable>: Sendable {
    /// To stand after «allowed is».
    let allowed: String
    /// Nil where the input is not allowed.
    let parse: @Sendable (SettingInput) -> Value?
    /// As it would stand in the file.
    let show: @Sendable (Value) -> String
}

extension SettingKind where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)") { input in
            input.word.flatMap(Quantity.integer).flatMap { range.contains($0) ? $0 : nil }
        } show: {
            String($0)
        }
    }

    static func oneOf(_ numbers: [Int]) -> SettingKind {
        SettingKind(allowed: listed(numbers.map(String.init))) { input in
            input.word.flatMap(Quantity.integer).flatMap { numbers.contains($0) ? $0 : nil }
        } show: {
            String($0)
        }
    }

    /// Both ends in bytes.
    static func size(from least: Int, to most: Int) -> SettingKind {
        let range = "\(Quantity.shown(size: least)) to \(Quantity.shown(size: most))"
        return SettingKind(allowed: "a size from \(range), as bytes or like \"512KiB\", \"64MiB\" or \"1GiB\"") { input in
            input.word.flatMap(Quantity.size).flatMap { (least...most).contains($0) ? $0 : nil }
        } show: { size in
            let text = Quantity.shown(size: size)
            return Quantity.integer(text) == nil ? quoted(text) : text
        }
    }
}

extension SettingKind where Value == Duration {
    static func duration(from least: Duration, to most: Duration) -> SettingKind {
        let range = "\(Quantity.shown(duration: least)) to \(Quantity.shown(duration: most))"
        return SettingKind(allowed: "a time from \(range), in seconds or like \"500ms\", \"10s\", \"2m\" or \"24h\"") {
            input in
            input.word.flatMap(Quantity.duration).flatMap { (least...most).contains($0) ? $0 : nil }
        } show: {
            quoted(Quantity.shown(duration: $0))
        }
    }
}

extension SettingKind where Value == Bool {
    static var flag: SettingKind {
        SettingKind(allowed: "true or false") { input in
            switch input.word {
            case "true": true
            case "false": false
            default: nil
            }
        } show: {
            $0 ? "true" : "false"
        }
    }
}

extension SettingKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the names of a type's cases.
    static func name() -> SettingKind {
        SettingKind(allowed: listed(Value.allCases.map { quoted($0.rawValue) })) { input in
            // Without quotes too, where a name looks like a number: 1.2.
            input.word.flatMap(Value.init(rawValue:))
        } show: {
            quoted($0.rawValue)
        }
    }
}

extension SettingKind where Value == String {
    /// A file's name: not empty, no NUL.
    static var path: SettingKind {
        SettingKind(allowed: "the path of a file, in quotes") { input in
            guard case .text(let text) = input, !text.isEmpty, !text.utf8.contains(0) else { return nil }
            return text
        } show: {
            quoted($0)
        }
    }

    /// RFC 9110 §5.5 without what is obsolete: printable ASCII and inner blanks, so that nobody can write a second field.
    static var fieldValue: SettingKind {
        SettingKind(allowed: "a header field's value in quotes, 1 to 200 printable ASCII characters") { input in
            guard case .text(let text) = input, (1...200).contains(text.utf8.count) else { return nil }
            let isLegal =
                text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.hasPrefix(" ") && !text.hasSuffix(" ")
            return isLegal ? text : nil
        } show: {
            quoted($0)
        }
    }
}

extension SettingKind where Value == [String] {
    /// Names of files: a list in the file; in the environment separated by commas.
    static var paths: SettingKind {
        SettingKind(allowed: "a list of paths of files, each in quotes") { input in
            let paths: [String]
            switch input {
            case .text(let text): paths = text.split(separator: ",").map(String.init)
            case .list(let list): paths = list
            case .literal, .none: return nil
            }
            return paths.allSatisfy { !$0.isEmpty && !$0.utf8.contains(0) } ? paths : nil
        } show: { paths in
            "[" + paths.map(quoted).joined(separator: ", ") + "]"
        }
    }
}

extension SettingKind where Value == [ProxyNetwork] {
    /// A list in the file; in the environment separated by blanks or commas.
    static var networks: SettingKind {
        SettingKind(allowed: "a list of addresses and networks like \(ProxyNetwork.allowed)") { input in
            let words: [String]
            switch input {
            case .text(let text): words = text.split { $0 == "," || $0 == " " }.map(String.init)
            case .list(let list): words = list
            case .literal, .none: return nil
            }
            let networks = words.compactMap(ProxyNetwork.init)
            return networks.count == words.count ? networks : nil
        } show: { networks in
            "[" + networks.map { quoted($0.description) }.joined(separator: ", ") + "]"
        }
    }
}

extension SettingKind where Value == [AliasRule] {
    /// A list in the file; in the environment separated by blanks or commas.
    static var aliases: SettingKind {
        SettingKind(allowed: "a list of aliases like \(AliasRule.allowed)") { input in
            let words: [String]
            switch input {
            case .text(let text): words = text.split { $0 == "," || $0 == " " }.map(String.init)
            case .list(let list): words = list
            case .literal, .none: return nil
            }
            let aliases = words.compactMap(AliasRule.init)
            return aliases.count == words.count ? aliases : nil
        } show: { aliases in
            "[" + aliases.map { quoted($0.description) }.joined(separator: ", ") + "]"
        }
    }
}

extension SettingKind where Value == String? {
    /// RFC 6797 §6.1: directives with a semicolon between them, of which max-age must be one.
    static var strictTransport: SettingKind {
        SettingKind(allowed: #"null, or a value like "max-age=31536000" or "max-age=31536000; includeSubDomains""#) {
            input in
            switch input {
            // An orchestrator's way of leaving a variable out.
            case .none, .text(""): return .some(nil)
            case .text(let text): return isStrictTransport(text) ? .some(text) : nil
            case .literal, .list: return nil
            }
        } show: {
            $0.map(quoted) ?? "null"
        }
    }

    static var secret: SettingKind {
        SettingKind(allowed: "null, or a text in quotes that is not empty") { input in
            switch input {
            case .none: .some(nil)
            case .text(let text): text.isEmpty ? nil : .some(text)
            case .literal, .list: nil
            }
        } show: {
            $0.map(quoted) ?? "null"
        }
    }
}

extension SettingKind where Value == PublicURL? {
    static var publicURL: SettingKind {
        SettingKind(allowed: "null, or \(PublicURL.allowed)") { input in
            switch input {
            case .none: .some(nil)
            // An orchestrator's way of leaving a variable out.
            case .text(""): .some(nil)
            case .text(let text): PublicURL(text).map { .some($0) }
            case .literal, .list: nil
            }
        } show: {
            $0.map { quoted($0.text) } ?? "null"
        }
    }
}

extension SettingKind where Value == [ListenEndpoint] {
    /// A list in the file; in the environment separated by blanks or commas.
    static var addresses: SettingKind {
        SettingKind(allowed: "a list of addresses like \(ListenEndpoint.allowed)") { input in
            let words: [String]
            switch input {
            case .text(let text): words = text.split { $0 == "," || $0 == " " }.map(String.init)
            case .list(let list): words = list
            case .literal, .none: return nil
            }
            let addresses = words.compactMap { ListenEndpoint($0) }
            return addresses.count == words.count && !words.isEmpty ? addresses : nil
        } show: { addresses in
            "[" + addresses.map { quoted($0.description) }.joined(separator: ", ") + "]"
        }
    }
}

private func isStrictTransport(_ text: String) -> Bool {
    let directives = text.lowercased().split(separator: ";").map { $0.drop { $0 == " " } }
    let ages = directives.filter { $0.hasPrefix("max-age=") }.map { $0.dropFirst(8) }
    return text.utf8.count <= 200 && ages.count == 1 && !ages[0].isEmpty
        && ages[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
        && directives.allSatisfy { $0.hasPrefix("max-age=") || $0 == "includesubdomains" || $0 == "preload" }
}

/// `a, b or c`.
private func listed(_ names: [String]) -> String {
    names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
}
