// From the bytes of a configuration file to values by key. Which values are allowed is not decided here.

/// A configuration file's values, keys flattened to `group.name`.
struct SettingsFile: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        let key: String
        let input: SettingInput
        let line: Int
    }

    /// In the order of the file.
    let entries: [Entry]

    /// Reads a whole file. Pure, for any bytes; throws where they are no JSON5 object of groups.
    static func parse(_ bytes: [UInt8]) throws(JSON5Error) -> SettingsFile {
        let document = try JSON5Value.parse(bytes)
        guard case .object(let members) = document.content else {
            throw JSON5Error(line: document.line, reason: "the file must hold an object: { server: { ... }, ... }")
        }
        var entries: [Entry] = []
        for (name, value) in members { try flatten(value, name, into: &entries) }
        var lines: [String: Int] = [:]
        for entry in entries {
            if let first = lines.updateValue(entry.line, forKey: entry.key) {
                throw JSON5Error(line: entry.line, reason: "\(quoted(entry.key)) is given twice, first in line \(first)")
            }
        }
        return SettingsFile(entries: entries)
    }

    private static func flatten(_ value: JSON5Value, _ key: String, into entries: inout [Entry]) throws(JSON5Error) {
        let input: SettingInput
        switch value.content {
        case .object(let members):
            for (name, value) in members { try flatten(value, key + "." + name, into: &entries) }
            return
        case .string(let text): input = .text(text)
        case .number(let text): input = .literal(text)
        case .boolean(let flag): input = .literal(flag ? "true" : "false")
        case .null: input = .none
        case .array(let elements):
            var texts: [String] = []
            for element in elements {
                guard case .string(let text) = element.content else {
                    throw JSON5Error(line: element.line, reason: "a list may hold only texts in quotes")
                }
                texts.append(text)
            }
            input = .list(texts)
        }
        entries.append(Entry(key: key, input: input, line: value.line))
    }
}
