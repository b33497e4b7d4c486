// `shorty check-config`
internal import Configuration
internal import HTTP

struct CheckConfigCommand: Subcommand {
    static let description = CommandDescription(
        path: ["check-config"], summary: "Check the settings and print those in force.", options: [.config],
        details: """
            Reads the settings as `shorty serve` would, from the file, the environment and the defaults, and prints each with \
            its value and where it came from. Secrets are not shown. Reads the certificates too. Fails where a setting is \
            unknown or not allowed, and where a certificate cannot be used.
            """,
        examples: ["shorty check-config --config /etc/shorty/shorty.json5"])

    private let options: SettingOptions

    init(_ arguments: ParsedArguments) { options = SettingOptions(arguments, of: Self.description) }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let loaded = try options.load(surroundings, for: Self.description)
        loaded.warnings.forEach { surroundings.console.complain("shorty: \($0)") }
        try checkCertificates(loaded.settings.tls, surroundings)
        let rows = SettingDefinition.all.map { definition in
            let origin = loaded.origins[definition.key] ?? .builtIn
            return (definition.key, definition.shown(in: loaded.settings), "\(origin)")
        }
        let keyWidth = rows.map { $0.0.count }.max() ?? 0
        // A very long value does not push all the others aside.
        let valueWidth = min(30, rows.map { $0.1.count }.max() ?? 0)
        for (key, value, origin) in rows {
            try surroundings.console.write("\(padded(key, keyWidth))  \(padded(value, valueWidth))  \(origin)\n")
        }
    }

    private func checkCertificates(_ settings: TLSSettings, _ surroundings: Surroundings) throws(CommandError) {
        var problems: [String] = []
        for files in CertificateFiles.all(settings) {
            do throws(CertificateProblem) {
                for warning in try files.check() { surroundings.console.complain("shorty: \(warning)") }
            } catch {
                problems.append(error.message)
            }
        }
        if !problems.isEmpty { throw .failure(problems) }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
