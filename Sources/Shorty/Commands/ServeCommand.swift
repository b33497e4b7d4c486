// `shorty serve`
internal import Configuration
internal import Glibc
internal import SQLiteStore
internal import Shortening
internal import Telemetry

struct ServeCommand: Subcommand {
    static let description = CommandDescription(
        path: ["serve"], summary: "Run the daemon.", options: [.config, .listen, .database, .publicURL],
        details: """
            Serves redirects and the API until SIGTERM or SIGINT, then finishes the requests that are running and stops; a \
            second signal ends it at once. A flag wins over the environment, that over the file. On a terminal, the first \
            start with an empty store makes a key and shows it once.
            """,
        examples: ["shorty serve --listen :8080 --public-url https://s.example"])

    private let options: SettingOptions

    init(_ arguments: ParsedArguments) { options = SettingOptions(arguments, of: Self.description) }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let signals = StopSignals()
        let loaded = try options.load(surroundings, for: Self.description)
        let settings = loaded.settings
        let log = Log(level: settings.log.level, format: settings.log.format, descriptor: surroundings.console.errors)
        loaded.warnings.forEach { log.warning($0) }
        try Session(log: log, signals: signals).run(DaemonPlan(settings)) { store, _ throws(StartError) in
            if let secret = settings.keys.secret { try FirstKey.provide(secret, store, log) }
        } started: { daemon throws(StartError) in
            try FirstKey.welcome(daemon, surroundings.console, log)
        }
    }
}

/// A daemon from its start to its end.
struct Session {
    let log: Log
    let signals: StopSignals

    /// Runs a daemon until a signal. What stops the start is logged, so that it looks like everything else in the log.
    /// `prepare` gets the store before the first request, `started` the daemon that serves. Blocks.
    func run(
        _ plan: DaemonPlan, preparing prepare: (SQLiteStore, _ publicURL: String) throws(StartError) -> Void,
        started: (Daemon) throws(StartError) -> Void
    ) throws(CommandError) {
        defer { log.flush() }
        do throws(StartError) {
            let daemon = try Daemon(plan, log: log, preparing: prepare)
            do throws(StartError) {
                try started(daemon)
            } catch {
                daemon.stop()
                throw error
            }
            let hangup = hangupSignal(daemon, plan)
            signals.wait()
            withExtendedLifetime(hangup) {}
            log.info("stopping")
            daemon.stop()
            log.info("stopped")
        } catch {
            log.error(error.message)
            throw .told
        }
    }

    /// A daemon on a terminal that has no certificates ends with its terminal, as programs do.
    private func hangupSignal(_ daemon: Daemon, _ plan: DaemonPlan) -> HangupSignal? {
        if plan.tls.certificates.isEmpty, isatty(STDIN_FILENO) == 1 { return nil }
        return HangupSignal { [log] in
            if !daemon.reload() { log.info("SIGHUP: there are no certificates to read again") }
        }
    }
}
