// `shorty demo`: a daemon to play with, gone without a trace when it ends.
internal import Configuration
internal import FoundationEssentials
internal import SQLiteStore
internal import Shortening
internal import Telemetry

struct DemoCommand: Subcommand {
    static let description = CommandDescription(
        path: ["demo"], summary: "Run a throwaway daemon to play with.", options: [.listen, .publicURL],
        details: """
            Runs a daemon with a new store in a temporary folder, which is deleted at its end, and with the keys my_key \
            and \(accountKey), and prints what to try. Everybody knows these keys: listen on this machine only.
            """,
        examples: ["shorty demo", "shorty demo --listen 127.0.0.1:0"])

    /// What the clients' tutorials use.
    private static let key = "my_key"
    /// X.co's clients want 32 hexadecimal digits.
    private static let accountKey = "0123456789abcdef0123456789abcdef"

    private let options: SettingOptions

    init(_ arguments: ParsedArguments) { options = SettingOptions(arguments, of: Self.description) }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let signals = StopSignals()
        var surroundings = surroundings
        // The environment may say where to listen, in a container for instance, but names no store to play in.
        for name in [
            "SHORTY_CONFIG", "SHORTY_STORE_DATABASE", "SHORTY_BACKUP_EVERY", "SHORTY_KEYS_SECRET",
            "SHORTY_KEYS_SECRET_FILE",
        ] {
            surroundings.environment[name] = nil
        }
        let settings = try options.load(surroundings, for: Self.description).settings
        let log = Log(level: settings.log.level, format: settings.log.format, descriptor: surroundings.console.errors)
        let folder = FileManager.default.temporaryDirectory.appending(path: "shorty-demo-\(UUID().uuidString)")
        do {
            // Of nobody else's to read: a demo's long URLs are somebody's too.
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failure("The folder \(folder.path) cannot be made; set TMPDIR to one that can be written.")
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        for endpoint in settings.server.listen where !endpoint.address.isLocal {
            log.warning(
                "the demo can be reached from other machines, and everybody knows its keys", ["address": "\(endpoint)"])
        }
        var plan = DaemonPlan(settings)
        plan.listenAdvice = "`shorty demo --listen 127.0.0.1:0` takes a free port."
        plan.database = folder.appending(path: "demo.db").path
        let console = surroundings.console
        try Session(log: log, signals: signals).run(plan) { store, publicURL throws(StartError) in
            for key in [Self.key, Self.accountKey] { try FirstKey.provide(key, store, log) }
            do throws(StoreError) {
                try DemoContent.fill(store, publicURL: publicURL, today: .today)
            } catch {
                throw StartError(message: error.startMessage)
            }
        } started: { daemon throws(StartError) in
            log.flush()
            try? console.write(Self.text(daemon))
        }
    }

    private static func text(_ daemon: Daemon) -> String {
        """

        Shorty is ready to play with. Its store is new and is deleted when you stop it with Ctrl-C.

        Add a link and follow it:

            \(FirstKey.addLine(key: key, daemon, slug: "talk"))
            curl -i \(FirstKey.curlTarget(daemon, "/talk"))

        The links that are listed publicly: \(daemon.publicURL)/view/list

        Squeeze a link as X.co did, and see what was squeezed:

            curl \(FirstKey.curlTarget(daemon, "/Squeeze.svc/text/\(accountKey)?url=http://example.com/a?x=1&y=2"))
            curl \(FirstKey.curlTarget(daemon, "/Reporting.svc/maps/\(accountKey)"))

        Read a feed of courses, and one that needs a name and a password:

            curl \(FirstKey.curlTarget(daemon, "/courses.json?month=\(Day.today.month)"))
            curl -u \(DemoContent.account):\(DemoContent.password) \(FirstKey.curlTarget(daemon, "/private/courses.json"))

        Draw a red flower (or a blue, yellow or green one), and read about it:

            curl -i \(FirstKey.curlTarget(daemon, "/showrandomiphone.php?color=Red&session=42"))
            curl \(FirstKey.curlTarget(daemon, "/detailiphone.php?session=42"))

        Flowers to look at, another one each time: \(daemon.publicURL)/flowers/random?tag=red

        """
    }
}
