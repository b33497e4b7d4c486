// The daemon's life: opens the store, starts the server, waits for a signal, stops in the order in which nothing is lost.
// Settings come in as plain values; where they come from is not known here.
internal import Dispatch
internal import Glibc
internal import HTTP
internal import SQLiteStore
internal import Shortening
internal import Telemetry
internal import Web

/// What a daemon needs to know.
struct DaemonPlan: Sendable {
    var listen = [ListenPlan(address: .address(host: "127.0.0.1", port: 8080))]
    /// What to do where that cannot be listened on, beside the reason; a sentence or nothing.
    var listenAdvice = ""
    var tls = TLSPlan()
    var database = "shorty.db"
    /// Without a slash at its end; nil takes the first listening address.
    var publicURL: String?
    /// 0 is one a core.
    var loops = 0
    var cacheBytes = 64 * 1024 * 1024
    var writeWait = Duration.seconds(5)
    var stopWait = Duration.seconds(5)
    /// Nil makes no backups.
    var backups: BackupPlan?
    var slugLimit = Slug.longest
    var urlLimit = 500
    var slugLength = 6
    var limits = Limits()
    var web = WebOptions()
    var aliases = CollectionAlias.flowers
    /// Whether every request gets a line in the log.
    var logsAccess = false
    /// Proxies whose word about their clients is believed.
    var proxies: [Network] = []
}

/// Where to listen, and how connections are spoken with there.
struct ListenPlan: Sendable {
    var address: SocketAddress
    var isSecure = false
    var isBehindProxy = false
}

/// Why a daemon cannot start; one line for a person.
struct StartError: Error {
    let message: String
}

/// A running daemon.
final class Daemon: Sendable {
    let store: SQLiteStore
    let shortener: Shortener
    /// Where short URLs begin.
    let publicURL: String
    let listeners: [Listener]
    /// The host and port under which this machine reaches the first of them, if it has any.
    let localName: String
    private let lock: StoreLock
    private let server: Server
    private let recorder: ClickRecorder
    private let stopWait: Duration
    private let backups: BackupSchedule?
    private let certificates: CertificateWatch?

    /// Opens everything and serves. `prepare` gets the store before anybody can ask it, and where short URLs begin. Throws with
    /// a line that says what to do.
    init(
        _ plan: DaemonPlan, log: Log,
        preparing prepare: (SQLiteStore, _ publicURL: String) throws(StartError) -> Void = { _, _ in }
    ) throws(StartError) {
        if let missing = MissingLibrary() { throw StartError(message: missing.message) }
        try raiseDescriptorLimit()
        let security = try plan.tls.security(log)
        certificates = security.certificates
        let listeners = try Self.listen(plan.listen, advice: plan.listenAdvice)
        self.listeners = listeners
        do throws(StoreError) {
            lock = try StoreLock(database: plan.database)
            store = try Self.openStore(plan, log)
        } catch {
            throw StartError(message: error.startMessage)
        }
        localName = Self.visibleName(listeners[0])
        publicURL = plan.publicURL ?? (listeners[0].isSecure ? "https://" : "http://") + localName
        try prepare(store, publicURL)
        if plan.publicURL == nil {
            log.warning("no public-url is set: short URLs are made from the listening address", ["url": .text(publicURL)])
        }
        let site = SiteMap(aliases: plan.aliases)
        var rules = ShorteningRules(
            reserved: site.reservedNames,
            generator: SlugGenerator(length: plan.slugLength, reserved: site.reservedNames), publicURL: publicURL)
        rules.slugLimit = plan.slugLimit
        rules.urlLimit = plan.urlLimit
        let cache = HotCache(bytes: plan.cacheBytes, generations: store.generations)
        let shortener = Shortener(store: store, cache: cache, rules: rules)
        self.shortener = shortener
        recorder = ClickRecorder(cache: cache, store: store, log: log)
        stopWait = plan.stopWait
        let backups = plan.backups.map { BackupSchedule($0, log: log) }
        self.backups = backups
        var options = ServerOptions()
        options.limits = Self.fitting(plan.limits)
        options.security = security
        options.proxies = TrustedProxies(plan.proxies)
        options.logsAccess = plan.logsAccess
        do throws(SocketError) {
            server = try Server(
                listeners: listeners, loops: plan.loops == 0 ? Server.usableCPUs : plan.loops, options: options, log: log)
        } catch {
            throw StartError(message: "The system gives no descriptors for event loops (\(error.message)).")
        }
        let services = Services(
            shortener: shortener, keys: KeyRing(store: store), collections: store, accounts: store, options: plan.web,
            log: log, lastBackup: { backups?.last })
        recorder.start()
        backups?.start()
        let destination = plan.tls.destination(publicURL, security)
        let meter = plan.web.requestsPerMinute > 0 ? RequestMeter(limit: plan.web.requestsPerMinute) : nil
        server.start { _ in
            var handler: any RequestHandler = FrontEnd(services: services, pages: site)
            if let destination { handler = HTTPSRedirect(before: handler, to: destination) }
            if let meter { handler = RequestBrake(before: handler, meter) }
            return handler
        }
        for listener in listeners {
            log.info("listening", ["address": .text(listener.name), "protocol": listener.isSecure ? "https" : "http"])
        }
    }

    /// Reads the certificates again, soon; false where there are none.
    func reload() -> Bool {
        certificates?.reload()
        return certificates != nil
    }

    /// Stops accepting, lets running requests finish, saves every visit, closes the store. Blocks.
    func stop() {
        backups?.stop()
        server.stop(within: stopWait)
        recorder.stop()
        store.close()
    }

    private static func listen(_ plans: [ListenPlan], advice: String) throws(StartError) -> [Listener] {
        var listeners: [Listener] = []
        for plan in plans {
            do throws(ListenError) {
                listeners.append(try Listener(plan.address, isSecure: plan.isSecure, hasPreface: plan.isBehindProxy))
            } catch {
                throw StartError(message: advice.isEmpty ? error.message : "\(error.message) \(advice)")
            }
        }
        return listeners
    }

    private static func openStore(_ plan: DaemonPlan, _ log: Log) throws(StoreError) -> SQLiteStore {
        var options = SQLiteStore.Options()
        options.isDaemon = true
        options.writeWait = plan.writeWait
        options.offersWork = { EventLoop.leaveToTurnsEnd($0) }
        options.onStep = { step in
            log.info("bringing the store up to date, which takes a while where links are many", ["step": .text(step)])
        }
        options.onTrouble = { area, error in
            guard let error else { return log.info(area.wordsOfEnd) }
            log.error(area.words, ["reason": .text(error.startMessage)])
        }
        let store = try SQLiteStore.open(file: plan.database, options: options)
        if store.nameCount > 1 {
            log.warning(
                "the database has other names (hard links): whatever opens it by one of them can destroy it; delete them",
                ["file": .text(store.path), "names": .number(store.nameCount)])
        }
        return store
    }

    /// A wildcard address is nothing that anybody could open.
    private static func visibleName(_ listener: Listener) -> String {
        if listener.name.hasPrefix("unix:") { return "localhost" }
        let isWildcard = listener.name.hasPrefix("[::]:") || listener.name.hasPrefix("0.0.0.0:")
        return isWildcard ? "localhost:\(listener.port)" : listener.name
    }

    /// Some descriptors are for the store, the log and the loops; a client must find the limit of connections before those
    /// are used up.
    private static func fitting(_ limits: Limits) -> Limits {
        var limits = limits
        var resources = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &resources)
        let available = Int(clamping: resources.rlim_cur) - 40
        limits.connections = max(8, min(limits.connections, available))
        return limits
    }
}

extension StoreError {
    /// For whoever starts the program: with the file and the library's words.
    var startMessage: String {
        switch self {
        case .unusable(let text), .readOnly(let text), .displaced(let text), .failed(let text): text
        case .busy, .closed: message
        case .full:
            "The store's disk is full, or a quota or a limit on the size of files is reached."
        }
    }
}

/// Lets the process open as many descriptors as it may (getrlimit(2)). With fewer than some dozens Dispatch would end the
/// program without a word when it finds none.
private func raiseDescriptorLimit() throws(StartError) {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur >= 64 else {
        throw StartError(
            message: "Only \(limit.rlim_cur) file descriptors are allowed here, and 64 are needed; raise `ulimit -n`.")
    }
}
