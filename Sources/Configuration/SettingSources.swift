// Where settings come from, and which wins: a flag over the environment over the file over the default.

/// The settings of a run with where each came from.
package struct EffectiveSettings: Equatable, Sendable {
    package internal(set) var settings = Settings()
    /// By key; what is missing has its default.
    package internal(set) var origins: [String: SettingOrigin] = [:]
    /// Whole sentences about what was given and means nothing here.
    package internal(set) var warnings: [String] = []

    package init() {}
}

/// What a run is started with.
package struct SettingSources: Sendable {
    /// A setting given on the command line.
    package struct Flag: Equatable, Sendable {
        /// As it was typed: `--listen`.
        package let name: String
        package let key: String
        package let input: SettingInput

        /// A flag for the setting `key`.
        package init(name: String, key: String, input: SettingInput) {
            self.name = name
            self.key = key
            self.input = input
        }
    }

    /// The variable that names the configuration file where no flag does.
    package static let fileVariable = "SHORTY_CONFIG"

    private let file: String?
    private let environment: [String: String]
    private let flags: [Flag]

    /// Settings from `file` (the one that `SHORTY_CONFIG` names where it is nil, or none), `environment` and `flags`.
    package init(file: String? = nil, environment: [String: String] = [:], flags: [Flag] = []) {
        self.file = file ?? environment[Self.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
        self.environment = environment
        self.flags = flags
    }

    /// Reads and checks everything. Throws all problems at once. Blocks: reads files.
    package func load() throws(SettingsError) -> EffectiveSettings {
        var loading = Loading()
        if let file { loading.read(file: file) }
        loading.read(environment: environment)
        for flag in flags { loading.apply(flag.input, to: flag.key, from: .flag(flag.name)) }
        loading.checkTogether()
        if !loading.problems.isEmpty { throw SettingsError(problems: loading.problems) }
        return loading.result
    }
}

/// Settings on their way, with what was wrong so far.
private struct Loading {
    var result = EffectiveSettings()
    var problems: [SettingProblem] = []

    mutating func read(file path: String) {
        do {
            // A file a hundred times as long as ours is a mistake.
            let bytes = try contents(ofFile: path, limit: 1 << 20)
            for entry in try SettingsFile.parse(bytes).entries {
                apply(entry.input, to: entry.key, from: .file(path))
            }
        } catch let error as FileProblem {
            problems.append(.unreadable(file: path, reason: error.reason))
        } catch let error as SettingsFileError {
            problems.append(.syntax(file: path, line: error.line, reason: error.reason))
        } catch {
            problems.append(.unreadable(file: path, reason: "\(error)"))
        }
    }

    mutating func read(environment: [String: String]) {
        var known: Set<String> = [SettingSources.fileVariable]
        for definition in SettingDefinition.all {
            known.insert(definition.variable)
            let value = environment[definition.variable]
            if let value { apply(.text(value), to: definition.key, from: .environment(definition.variable)) }
            guard let variable = definition.fileVariable else { continue }
            known.insert(variable)
            guard let path = environment[variable] else { continue }
            if value != nil {
                problems.append(.conflict("\(definition.variable) and \(variable) are both set; take one away."))
                continue
            }
            do {
                let secret = try SecretFile.read(path)
                apply(.text(secret), to: definition.key, from: .secretFile(variable))
            } catch {
                problems.append(.secretFile(variable: variable, path: quoted(path), reason: error.reason))
            }
        }
        for name in environment.keys.sorted() where name.hasPrefix("SHORTY_") && !known.contains(name) {
            let guess = nearestName(to: name, among: known.sorted()).map { "; did you mean \($0)?" } ?? "."
            // Some orchestrators set such variables for every service they know, so it is no error.
            result.warnings.append("\(name) in the environment is no setting" + guess)
        }
    }

    mutating func apply(_ input: SettingInput, to key: String, from origin: SettingOrigin) {
        guard let definition = SettingDefinition.named(key) else {
            let isEmptyGroup = input == .literal("{}") && SettingDefinition.all.contains { $0.key.hasPrefix(key + ".") }
            if isEmptyGroup { return }
            problems.append(unknown(key, origin))
            return
        }
        if definition.apply(input, &result.settings) {
            result.origins[key] = origin
        } else {
            let value = definition.isSecret ? nil : Self.shown(input)
            problems.append(.notAllowed(key: key, origin: origin, value: value, allowed: definition.allowed))
        }
    }

    /// Rules over more than one setting.
    mutating func checkTogether() {
        let settings = result.settings
        if settings.slugs.length > settings.limits.slug {
            problems.append(
                .conflict(
                    "slugs.length is \(settings.slugs.length) and limits.slug is \(settings.limits.slug); "
                        + "generated slugs may not be longer than chosen ones."))
        }
        if settings.server.trustedProxies.isEmpty, let endpoint = settings.server.listen.first(where: \.isBehindProxy) {
            problems.append(
                .conflict("server.listen has \(endpoint), but server.trusted-proxies names nobody who may connect there."))
        }
        checkTLS(settings)
    }

    private mutating func checkTLS(_ settings: Settings) {
        let (certificates, keys) = (settings.tls.certificate.count, settings.tls.key.count)
        let secure = settings.server.listen.first(where: \.isSecure)
        if certificates != keys {
            problems.append(
                .conflict(
                    "tls.certificate names \(certificates) and tls.key \(keys) files; each certificate needs its key, in the "
                        + "same order."))
        } else if let secure, certificates == 0 {
            problems.append(.conflict("server.listen has \(secure), which needs tls.certificate and tls.key."))
        }
        guard settings.server.redirectsToHTTPS else { return }
        if secure == nil, settings.server.trustedProxies.isEmpty {
            problems.append(
                .conflict(
                    "server.https-redirect leads nowhere: server.listen has no address with \"tls:\", and "
                        + "server.trusted-proxies names no proxy that could do the TLS."))
        }
        if settings.server.publicURL?.isSecure != true {
            problems.append(.conflict("server.https-redirect needs a server.public-url that begins with https://."))
        }
    }

    private func unknown(_ key: String, _ origin: SettingOrigin) -> SettingProblem {
        let keys = SettingDefinition.all.map(\.key)
        let group = key.prefix { $0 != "." } + "."
        let ofGroup = keys.filter { $0.hasPrefix(group) }
        return .unknown(
            key: key, origin: origin, nearest: nearestName(to: key, among: keys), known: ofGroup.isEmpty ? keys : ofGroup)
    }

    private static func shown(_ input: SettingInput) -> String {
        switch input {
        case .text(let text): quoted(text)
        case .literal(let text): text
        case .list(let texts): "[" + texts.map(quoted).joined(separator: ", ") + "]"
        case .none: "null"
        }
    }
}
