// `shorty health`: for the health checks of containers and service managers.
internal import Configuration

struct HealthCommand: Subcommand {
    static let description = CommandDescription(
        path: ["health"], summary: "Ask a running daemon whether it is well.",
        options: [
            .config,
            OptionDescription(
                name: "url", placeholder: "URL", sentence: "Ask there: http://HOST[:PORT], https://… or unix:PATH."),
        ],
        details: """
            Asks the daemon for /healthz, at --url or at the first listening address of the settings, and waits 2 seconds at \
            most. Succeeds where it can read and write its store; fails with the reason where not. A scheduled backup that \
            failed is told, and is no failure: the links are well. Over TLS it does not look at the certificate.
            """,
        examples: ["shorty health", "shorty health --url http://127.0.0.1:8080"])

    private let options: SettingOptions
    private let target: ProbeTarget?

    init(_ arguments: ParsedArguments) throws(CommandError) {
        options = SettingOptions(arguments, of: Self.description)
        guard let url = arguments.value("url") else {
            target = nil
            return
        }
        guard let target = Self.target(of: url) else {
            throw Self.description.usageError(
                "--url \"\(url)\" is not understood: write http://HOST[:PORT], https://HOST[:PORT] or unix:PATH.")
        }
        self.target = target
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        var targets = try configuredTargets(surroundings)[...]
        while let target = targets.popFirst() {
            let report: HealthReport
            do throws(ProbeFailure) {
                report = try HealthProbe(target, within: .seconds(2)).run()
            } catch {
                if error.isRefused, !targets.isEmpty { continue }
                throw .failure("\(target.name) \(error.reason).")
            }
            let backup = report.backupFault.map { ", but its last backup failed: \($0)" } ?? ""
            return try surroundings.console.write("\(target.name) is healthy\(backup)\n")
        }
    }

    private func configuredTargets(_ surroundings: Surroundings) throws(CommandError) -> [ProbeTarget] {
        if let target { return [target] }
        let settings = try options.load(surroundings, for: Self.description).settings
        let targets = settings.server.listen[0].probeTargets
        if case .tcp(_, 0, _) = targets[0] {
            throw .failure("The daemon listens on a port that the system chose; name it: --url http://127.0.0.1:PORT.")
        }
        return targets
    }

    /// `http://HOST[:PORT]` or `https://…` with at most a slash behind it, or `unix:PATH`.
    static func target(of url: String) -> ProbeTarget? {
        if let address = ListenAddress(url), case .local(let path) = address { return .local(path: path) }
        guard let url = PublicURL(url) else { return nil }
        let authority = url.text.dropFirst((url.isSecure ? "https://" : "http://").count)
        let hasPort = authority.lastIndex(of: ":").map { colon in authority[colon...].allSatisfy { $0 != "]" } } ?? false
        let host = hasPort ? authority.prefix(upTo: authority.lastIndex(of: ":") ?? authority.endIndex) : authority
        let port = (hasPort ? UInt16(authority.dropFirst(host.count + 1)) : nil) ?? (url.isSecure ? 443 : 80)
        return .tcp(
            host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), port: port,
            isSecure: url.isSecure)
    }
}

extension ListenEndpoint {
    /// Where something that listens here can be asked from the same machine, best first.
    var probeTargets: [ProbeTarget] {
        let tcp = { (host: String, port: UInt16) in ProbeTarget.tcp(host: host, port: port, isSecure: isSecure) }
        return switch address {
        case .any(let port), .address("0.0.0.0", let port): [tcp("127.0.0.1", port), tcp("::1", port)]
        case .address("::", let port): [tcp("::1", port)]
        case .address(let host, let port): [tcp(host, port)]
        case .local(let path): [.local(path: path)]
        }
    }
}
