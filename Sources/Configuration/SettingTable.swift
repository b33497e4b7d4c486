// The one list of settings. Names in files and in the environment, what is allowed, error messages, `check-config` and the
// test that holds config/shorty.json5 to the truth all come from here.

extension SettingDefinition {
    /// Every setting, in the order of config/shorty.json5.
    package static let all: [SettingDefinition] = server + tls + store + backup + limits + others

    /// The definition with this key.
    package static func named(_ key: String) -> SettingDefinition? { all.first { $0.key == key } }

    private static let server = [
        SettingDefinition("server.listen", \.server.listen, .addresses, "Addresses to listen on."),
        SettingDefinition(
            "server.public-url", \.server.publicURL, .publicURL, "What short URLs begin with, as the world sees it."),
        SettingDefinition(
            "server.trusted-proxies", \.server.trustedProxies, .networks,
            "Proxies whose word about their clients is believed."),
        SettingDefinition(
            "server.https-redirect", \.server.redirectsToHTTPS, .flag,
            "Whether plain connections are only told to come back by HTTPS."),
        SettingDefinition(
            "server.strict-transport-security", \.server.strictTransport, .strictTransport,
            "The Strict-Transport-Security field of answers over HTTPS."),
        SettingDefinition(
            "server.loops", \.server.loops, .integer(0...256), "Event loops; 0 is one per core the process may use."),
        SettingDefinition(
            "server.stop-wait", \.server.stopWait, .duration(from: .zero, to: .seconds(600)),
            "How long running requests may take after a request to stop."),
    ]

    private static let tls = [
        SettingDefinition("tls.certificate", \.tls.certificate, .paths, "PEM files of certificates with their chains."),
        SettingDefinition(
            "tls.key", \.tls.key, .paths, "PEM files of the certificates' private keys, in the same order."),
        SettingDefinition("tls.minimum-version", \.tls.minimumVersion, .name(), "The oldest TLS that clients may use."),
    ]

    private static let store = [
        SettingDefinition("store.database", \.store.database, .path, "The SQLite file that holds everything."),
        SettingDefinition(
            "store.write-wait", \.store.writeWait, .duration(from: .milliseconds(100), to: .seconds(600)),
            "How long a write waits for another process's lock."),
        SettingDefinition(
            "store.cache", \.store.cache, .size(from: 1 << 20, to: 64 << 30), "Memory for the links asked for most."),
    ]

    private static let backup = [
        SettingDefinition(
            "backup.every", \.backup.every, .duration(from: .zero, to: .seconds(366 * 86_400)),
            "Time between two backups by the daemon; 0 is never."),
        SettingDefinition(
            "backup.keep", \.backup.keep, .integer(1...10_000), "How many of the daemon's backups are kept."),
        SettingDefinition("backup.directory", \.backup.directory, .path, "Where the daemon's backups go."),
    ]

    private static let limits = [
        SettingDefinition("limits.slug", \.limits.slug, .integer(1...45), "Characters of a slug."),
        SettingDefinition("limits.url", \.limits.url, .integer(16...8_000), "Characters of a long URL as it is stored."),
        SettingDefinition(
            "limits.request-line", \.limits.requestLine, .size(from: 8 << 10, to: 1 << 20),
            "A request's first line; longer is 414."),
        SettingDefinition(
            "limits.header-block", \.limits.headerBlock, .size(from: 4 << 10, to: 1 << 20),
            "All header fields of a request together; more is 431."),
        SettingDefinition(
            "limits.header-fields", \.limits.headerFields, .integer(10...10_000),
            "Number of header fields of a request; more is 431."),
        SettingDefinition(
            "limits.body", \.limits.body, .size(from: 1 << 10, to: 1 << 30), "A request's body; bigger is 413."),
        SettingDefinition(
            "limits.connections", \.limits.connections, .integer(10...1_000_000), "Open connections at one time."),
        SettingDefinition(
            "limits.connections-per-client", \.limits.connectionsPerClient, .integer(0...1_000_000),
            "Open connections of one client address; 0 is no limit."),
        SettingDefinition(
            "limits.requests-per-minute", \.limits.requestsPerMinute, .integer(0...1_000_000),
            "Requests a minute and client address; more are 429, and 0 is no limit."),
        SettingDefinition(
            "limits.head-time", \.limits.headTime, .duration(from: .seconds(1), to: .seconds(3_600)),
            "From a request's first byte to the end of its head, longer is 408; and from connecting to that byte."),
        SettingDefinition(
            "limits.body-time", \.limits.bodyTime, .duration(from: .seconds(1), to: .seconds(3_600)),
            "How long a body may come before limits.body-rate is asked of it."),
        SettingDefinition(
            "limits.body-rate", \.limits.bodyRate, .size(from: 1, to: 1 << 30),
            "Bytes a second that a body must bring on average after limits.body-time; slower is 408."),
        SettingDefinition(
            "limits.idle-time", \.limits.idleTime, .duration(from: .seconds(1), to: .seconds(3_600)),
            "How long a connection without a request stays open."),
        SettingDefinition(
            "limits.wrong-keys", \.limits.wrongKeys, .integer(1...1_000_000),
            "Wrong keys, and wrong passwords, a minute and client address; more are 429."),
    ]

    private static let others = [
        SettingDefinition(
            "redirect.status", \.redirect.status, .oneOf([301, 302, 307, 308]), "The status of a redirect."),
        SettingDefinition(
            "redirect.cache-control", \.redirect.cacheControl, .fieldValue, "The Cache-Control field of a redirect."),
        SettingDefinition("slugs.length", \.slugs.length, .integer(4...45), "Characters of a generated slug, at first."),
        SettingDefinition(
            "keys.secret", \.keys.secret, .secret,
            "A key that the daemon makes at its start where it is missing and was not revoked.",
            isSecret: true),
        SettingDefinition(
            "listing.public", \.listing.isPublic, .flag, "Whether the links marked as listed are shown to everybody."),
        SettingDefinition(
            "collections.aliases", \.collections.aliases, .aliases,
            "Old names of the random and detail routes of collections."),
        SettingDefinition(
            "collections.detail-wait", \.collections.detailWait, .duration(from: .zero, to: .seconds(10)),
            "How long the details of a session wait for what is drawn for it."),
        SettingDefinition("log.format", \.log.format, .name(), "How log lines are written."),
        SettingDefinition("log.level", \.log.level, .name(), "The least urgent lines that are written."),
        SettingDefinition("log.access", \.log.isAccessLogged, .flag, "Whether every request is logged."),
    ]
}
