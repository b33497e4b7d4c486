// What can be wrong with the settings, in words for whoever wrote them.

/// Where a value came from.
package enum SettingOrigin: Equatable, Sendable, CustomStringConvertible {
    case builtIn
    case file(String)
    case environment(String)
    /// A file that a variable names.
    case secretFile(String)
    case flag(String)

    package var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let name), .environment(let name), .secretFile(let name), .flag(let name): name
        }
    }
}

/// One thing that stops the start.
package enum SettingProblem: Error, Equatable, Sendable {
    case unreadable(file: String, reason: String)
    /// `line` counts from 1; nil where the fault has no one line.
    case syntax(file: String, line: Int?, reason: String)
    /// `known` are the names that could have been meant: one, or all of the group.
    case unknown(key: String, origin: SettingOrigin, nearest: String?, known: [String])
    /// `value` is nil for secrets.
    case notAllowed(key: String, origin: SettingOrigin, value: String?, allowed: String)
    case secretFile(variable: String, path: String, reason: String)
    /// Two values that cannot be together.
    case conflict(String)

    /// One line, one or two sentences.
    package var message: String {
        switch self {
        case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)."
        case .syntax(let file, let line?, let reason): "\(file):\(line): \(reason)."
        case .syntax(let file, nil, let reason): "\(file): \(reason)."
        case .unknown(let key, let origin, let nearest?, _):
            "\(origin): there is no setting \(quoted(key)); did you mean \(nearest)?"
        case .unknown(let key, let origin, nil, let known):
            "\(origin): there is no setting \(quoted(key)); known here are \(known.joined(separator: ", "))."
        case .notAllowed(let key, let origin, let value?, let allowed):
            "\(origin): \(key) is \(value); allowed is \(allowed)."
        case .notAllowed(let key, let origin, nil, let allowed):
            "\(origin): \(key) has a value that cannot be used; allowed is \(allowed)."
        case .secretFile(let variable, let path, let reason): "\(variable): \(path) \(reason)."
        case .conflict(let text): text
        }
    }
}

/// Everything that was wrong, so that it can be mended in one go; at least one.
package struct SettingsError: Error, Equatable, Sendable {
    package let problems: [SettingProblem]
}
