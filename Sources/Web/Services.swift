// What the front ends share: the shortener, the keys, the brake, the pages. Made once, read by all loops.
package import HTTP
package import Shortening
package import Telemetry

/// How the front ends behave; from the settings.
package struct WebOptions: Sendable {
    /// 301, 302, 307 or 308.
    package var redirectStatus = Status.found
    /// The Cache-Control of redirects; empty for none.
    package var redirectCacheControl = "no-store"
    /// Wrong keys that one client may send in a minute, and wrong passwords.
    package var wrongKeys = 10
    /// Requests that one client may send in a minute; 0 is no limit.
    package var requestsPerMinute = 0
    /// How long the details of a session wait for what is still being drawn for it.
    package var detailWait = Duration.seconds(2)
    /// Whether the listings of listed links are public.
    package var hasPublicListing = true

    package init() {}
}

/// The front ends' common ground. Any thread.
package final class Services: Sendable {
    package let shortener: Shortener
    package let keys: KeyRing
    let collections: any CollectionStore
    let passwords: PasswordDesk
    let draws: DrawDesk
    let sessions: DrawnSessions
    let brake: AttemptBrake
    let pages: Pages
    let health: HealthDesk
    let options: WebOptions
    let log: Log
    /// What came of the daemon's last backup; nil where it makes none or has none yet.
    let lastBackup: @Sendable () -> LastBackup?

    package init(
        shortener: Shortener, keys: KeyRing, collections: any CollectionStore, accounts: any AccountStore,
        options: WebOptions, log: Log, lastBackup: @escaping @Sendable () -> LastBackup? = { nil }
    ) {
        self.shortener = shortener
        self.keys = keys
        self.collections = collections
        self.options = options
        self.log = log
        self.lastBackup = lastBackup
        draws = DrawDesk(collections)
        sessions = DrawnSessions(patience: options.detailWait)
        brake = AttemptBrake(limit: options.wrongKeys)
        passwords = PasswordDesk(
            accounts: accounts, generations: shortener.store.generations, limit: options.wrongKeys)
        pages = Pages()
        health = HealthDesk(shortener.store)
    }
}
