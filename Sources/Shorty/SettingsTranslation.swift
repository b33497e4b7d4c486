// From settings to what the modules want to know. Defaults come from the settings alone.
internal import Configuration
internal import HTTP
internal import Shortening
internal import Web

extension ListenEndpoint {
    /// How a browser on this machine would call a service that listens here.
    var localURL: String { (isSecure ? "https://" : "http://") + address.localName }
}

extension ListenAddress {
    var socketAddress: SocketAddress {
        switch self {
        case .any(let port): .anyAddress(port: port)
        case .address(let host, let port): .address(host: host, port: port)
        case .local(let path): .local(path: path)
        }
    }

    /// Host and port of what listens here, from this machine.
    fileprivate var localName: String {
        switch self {
        case .any(let port), .address("0.0.0.0", let port), .address("::", let port): "localhost:\(port)"
        case .address: "\(self)"
        case .local: "localhost"
        }
    }
}

extension CollectionAlias {
    init(_ rule: AliasRule) {
        let purpose: Purpose =
            switch rule.purpose {
            case .random: .random
            case .detail: .detail
            }
        self.init(rule.path, of: CollectionName(stored: rule.collection), purpose)
        tagNames = [rule.tagParameter]
    }
}

extension ShorteningRules {
    /// The rules of a command that works beside the daemon.
    init(_ settings: Settings) {
        let reserved = SiteMap(aliases: settings.collections.aliases.map(CollectionAlias.init)).reservedNames
        self.init(
            reserved: reserved, generator: SlugGenerator(length: settings.slugs.length, reserved: reserved),
            publicURL: settings.server.publicURL?.text ?? settings.server.listen[0].localURL)
        slugLimit = settings.limits.slug
        urlLimit = settings.limits.url
    }
}

extension DaemonPlan {
    init(_ settings: Settings) {
        self.init()
        listen = settings.server.listen.map {
            ListenPlan(
                address: $0.address.socketAddress, isSecure: $0.isSecure, isBehindProxy: $0.isBehindProxy)
        }
        proxies = settings.server.trustedProxies.compactMap { Network($0.description) }
        tls = TLSPlan(settings)
        database = settings.store.database
        publicURL = settings.server.publicURL?.text
        loops = settings.server.loops
        logsAccess = settings.log.isAccessLogged
        cacheBytes = settings.store.cache
        writeWait = settings.store.writeWait
        backups = BackupPlan(settings)
        stopWait = settings.server.stopWait
        slugLimit = settings.limits.slug
        urlLimit = settings.limits.url
        slugLength = settings.slugs.length
        limits = Limits(settings.limits)
        web.wrongKeys = settings.limits.wrongKeys
        web.requestsPerMinute = settings.limits.requestsPerMinute
        web.hasPublicListing = settings.listing.isPublic
        web.detailWait = settings.collections.detailWait
        aliases = settings.collections.aliases.map(CollectionAlias.init)
        web.redirectCacheControl = settings.redirect.cacheControl
        web.redirectStatus = Status(rawValue: UInt16(settings.redirect.status))
    }
}

extension BackupPlan {
    /// Nil where the settings want no backups.
    init?(_ settings: Settings) {
        guard settings.backup.every > .zero else { return nil }
        self.init(
            every: settings.backup.every, keep: settings.backup.keep, directory: settings.backup.directory,
            database: settings.store.database)
    }
}

extension TLSPlan {
    init(_ settings: Settings) {
        certificates = CertificateFiles.all(settings.tls)
        minimumVersion = settings.tls.minimumVersion == .tls13 ? .tls13 : .tls12
        redirectsPlain = settings.server.redirectsToHTTPS
        strictTransport = settings.server.strictTransport ?? ""
        isProxied = settings.server.publicURL?.isSecure == true && !settings.server.listen.contains(where: \.isSecure)
    }
}

extension CertificateFiles {
    /// The pairs that the settings name, which are as many of both.
    static func all(_ settings: TLSSettings) -> [CertificateFiles] {
        zip(settings.certificate, settings.key).map { CertificateFiles(certificate: $0, key: $1) }
    }
}

extension Limits {
    init(_ settings: LimitSettings) {
        self.init()
        requestLine = settings.requestLine
        headerBlock = settings.headerBlock
        headerFields = settings.headerFields
        body = settings.body
        connections = settings.connections
        connectionsPerClient = settings.connectionsPerClient
        headTime = settings.headTime
        bodyTime = settings.bodyTime
        bodyRate = settings.bodyRate
        idleTime = settings.idleTime
    }
}
