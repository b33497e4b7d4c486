// From the bytes of a configuration file to values by key. Which values are allowed is not decided here.

/// Why a file holds no settings.
struct SettingsFileError: Error, Equatable {
    /// Counted from 1; nil where the fault has no one line.
    let line: Int?
    let reason: String
}

/// A configuration file's values, keys flattened to `group.name`.
struct SettingsFile: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        let key: String
        let input: SettingInput
    }

    /// By key.
    let entries: [Entry]

    /// Reads a whole file. Pure, for any bytes; throws where they are no JSON5 object of groups.
    static func parse(_ bytes: [UInt8]) throws(SettingsFileError) -> SettingsFile {
        let document: JSON5Value
        do {
            document = try JSON5Value.parse(bytes)
        } catch {
            throw SettingsFileError(error, in: bytes)
        }
        guard case .object(let members) = document else {
            throw SettingsFileError(line: nil, reason: "the file must hold an object: { server: { ... }, ... }")
        }
        var entries: [Entry] = []
        for (name, value) in members { try flatten(value, name, into: &entries) }
        entries.sort { $0.key < $1.key }
        for (entry, next) in zip(entries, entries.dropFirst()) where entry.key == next.key {
            throw SettingsFileError(
                line: nil, reason: "\(quoted(entry.key)) is given twice, in its group and by its whole name")
        }
        return SettingsFile(entries: entries)
    }

    private static func flatten(
        _ value: JSON5Value, _ key: String, into entries: inout [Entry]
    ) throws(SettingsFileError) {
        let input: SettingInput
        switch value {
        // A group without settings sets nothing, but its name must be one.
        case .object(let members) where members.isEmpty: input = .literal("{}")
        case .object(let members):
            for (name, value) in members { try flatten(value, key + "." + name, into: &entries) }
            return
        case .text(let text): input = .text(text)
        case .number(let text): input = .literal(text)
        case .boolean(let flag): input = .literal(flag ? "true" : "false")
        case .null: input = .none
        case .list(let elements):
            var texts: [String] = []
            for element in elements {
                guard case .text(let text) = element else {
                    throw SettingsFileError(line: nil, reason: "the list of \(quoted(key)) may hold only texts in quotes")
                }
                texts.append(text)
            }
            input = .list(texts)
        }
        entries.append(Entry(key: key, input: input))
    }
}

extension SettingsFileError {
    /// Above it no line is looked for: the search reads a file some hundred times, which takes seconds for a large one. The
    /// shipped file has a tenth of it.
    private static let searchLimit = 1 << 16

    /// The fault that reading `bytes` gave, in words and with its line.
    fileprivate init(_ fault: JSON5Fault, in bytes: [UInt8]) {
        let isSearched = fault != .notUTF8 && bytes.count <= Self.searchLimit
        let found = isSearched ? FaultyLine.find(in: bytes) { (try? JSON5Value.parse($0)) != nil } : nil
        line = if case .line(let line) = found { line } else { nil }
        reason =
            switch fault {
            case .notUTF8: "the file is not UTF-8 text"
            case .givenTwice(let path):
                "\(quoted(path.joined(separator: "."))) is given twice"
                    + (line.flatMap { Self.firstLine(naming: path, in: bytes, before: $0) }.map {
                        ", first in line \($0); merge the two into one"
                    } ?? "")
            case .tooDeep: "the nesting is deeper than \(JSON5Value.depth) levels"
            case .syntax where found == .endOfFile:
                "the file ends too early; a closing bracket, quote or */ is missing"
            case .syntax:
                "this is not JSON5; a comma, colon, bracket or quote may be missing\(line == nil ? "" : " here or just before")"
                    + " (texts, and names with a hyphen, need quotes)"
            }
    }

    /// The line above `line` in which a path's last name stands first; nil where it is not above. The lines above it are good.
    private static func firstLine(naming path: [String], in bytes: [UInt8], before line: Int) -> Int? {
        let newline = UInt8(ascii: "\n")
        let above = bytes.indices.filter { bytes[$0] == newline }.prefix(line - 1).last.map { Array(bytes[...$0]) } ?? []
        let first = FaultyLine.find(in: above) { beginning in
            guard let document = try? JSON5Value.parse(beginning) else { return false }
            return !document.holds(path[...])
        }
        return if case .line(let line) = first { line } else { nil }
    }
}
