// Everything that can be set, with the value it has when nobody sets it. What a setting is called, what it may be and what
// it is for stands in SettingTable.
package import Telemetry

/// The settings of one run, checked. Equal when every value is.
package struct Settings: Equatable, Sendable {
    package var server = ServerSettings()
    package var tls = TLSSettings()
    package var store = StoreSettings()
    package var backup = BackupSettings()
    package var limits = LimitSettings()
    package var redirect = RedirectSettings()
    package var slugs = SlugSettings()
    package var keys = KeySettings()
    package var listing = ListingSettings()
    package var collections = CollectionSettings()
    package var log = LogSettings()

    package init() {}
}

/// `server.*`
package struct ServerSettings: Equatable, Sendable {
    /// Never empty.
    package var listen = [ListenEndpoint(.address(host: "127.0.0.1", port: 8080))]
    package var publicURL: PublicURL?
    package var trustedProxies: [ProxyNetwork] = []
    /// Only with a public URL of https and an endpoint that speaks it.
    package var redirectsToHTTPS = false
    /// A legal value of the field.
    package var strictTransport: String?
    /// 0 stands for one per core that the process may use.
    package var loops = 0
    package var stopWait = Duration.seconds(5)
}

/// `tls.*`
package struct TLSSettings: Equatable, Sendable {
    /// Paths; as many as `key` has, and at least one where an endpoint speaks TLS.
    package var certificate: [String] = []
    package var key: [String] = []
    package var minimumVersion = TLSVersionName.tls12
}

/// Versions of TLS as settings name them.
package enum TLSVersionName: String, CaseIterable, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}

/// `store.*`
package struct StoreSettings: Equatable, Sendable {
    package var database = "shorty.db"
    package var writeWait = Duration.seconds(5)
    /// Bytes.
    package var cache = 64 << 20
}

/// `backup.*`
package struct BackupSettings: Equatable, Sendable {
    /// Zero is never.
    package var every = Duration.zero
    /// How many are left in place; at least 1.
    package var keep = 7
    package var directory = "backups"
}

/// `limits.*`; sizes in bytes.
package struct LimitSettings: Equatable, Sendable {
    package var slug = 45
    package var url = 500
    package var requestLine = 16 << 10
    package var headerBlock = 32 << 10
    package var headerFields = 100
    package var body = 1 << 20
    package var connections = 10_000
    /// Of one client address; 0 is no limit.
    package var connectionsPerClient = 0
    /// Of one client address; 0 is no limit.
    package var requestsPerMinute = 0
    package var headTime = Duration.seconds(10)
    package var bodyTime = Duration.seconds(20)
    /// Bytes a second.
    package var bodyRate = 1 << 10
    package var idleTime = Duration.seconds(30)
    /// A minute and client address.
    package var wrongKeys = 10
}

/// `redirect.*`
package struct RedirectSettings: Equatable, Sendable {
    /// 301, 302, 307 or 308.
    package var status = 302
    /// A legal field value.
    package var cacheControl = "no-store"
}

/// `slugs.*`
package struct SlugSettings: Equatable, Sendable {
    /// Characters; never more than `limits.slug`.
    package var length = 6
}

/// `keys.*`
package struct KeySettings: Equatable, Sendable {
    /// Not empty. Never to be logged.
    package var secret: String?
}

/// `listing.*`
package struct ListingSettings: Equatable, Sendable {
    package var isPublic = true
}

/// `collections.*`
package struct CollectionSettings: Equatable, Sendable {
    /// What the apps of a flower service ask for.
    package var aliases = [
        "/showrandom.php=flowers/random?color", "/showrandomiphone.php=flowers/random?color",
        "/showrandomios.php=flowers/random?color", "/detailiphone.php=flowers/detail",
        "/detailios.php=flowers/detail",
    ].compactMap(AliasRule.init)
    package var detailWait = Duration.seconds(2)
}

/// `log.*`
package struct LogSettings: Equatable, Sendable {
    package var format = LogFormat.text
    package var level = LogLevel.info
    package var isAccessLogged = false
}
