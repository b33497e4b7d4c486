// The key of a new store. Without one nobody can add, and a daemon with no key must never mean that none is needed.
internal import HTTP
internal import SQLiteStore
internal import Shortening
internal import Telemetry

enum FirstKey {
    /// Makes the key that the settings name, of the account `admin`, unless it is there. One that was revoked stays so: who revoked
    /// a secret that had leaked must not get it back with the next start.
    static func provide(_ secret: String, _ store: SQLiteStore, _ log: Log) throws(StartError) {
        let checked: KeySecret
        do throws(KeySecretError) {
            checked = try KeySecret(chosen: secret)
        } catch {
            throw StartError(message: "keys.secret: \(error.message)")
        }
        do throws(StoreError) {
            let known = try store.keys(includeRevoked: true).filter { $0.digest == checked.digest.bytes }
            if !known.isEmpty {
                if !known.contains(where: { $0.revoked == nil }) {
                    log.warning(
                        "keys.secret was revoked and stays so: set another one, or make it anew with `shorty key create`")
                }
                return
            }
            _ = try store.createKey(account: "admin", label: "keys.secret", digest: checked.digest)
        } catch {
            throw StartError(message: error.startMessage)
        }
    }

    /// In a store that never had a key: on a terminal makes one and shows it with a line to try, elsewhere says how to make
    /// one, since a log is no place for keys.
    static func welcome(_ daemon: Daemon, _ console: Console, _ log: Log) throws(StartError) {
        do throws(StoreError) {
            guard try daemon.store.keys(includeRevoked: true).isEmpty else { return }
            guard console.isTerminal else {
                log.warning("there is no key yet, so nobody can add a link: make one with `shorty key create --name NAME`")
                return
            }
            let secret = KeySecret.generate()
            _ = try daemon.store.createKey(account: "admin", label: "first start", digest: secret.digest)
            log.flush()
            try? console.write(text(key: secret.text, daemon))
        } catch {
            throw StartError(message: error.startMessage)
        }
    }

    private static func text(key: String, _ daemon: Daemon) -> String {
        """

        This store is new. Here is its first key; it is not shown again:

            \(key)

        Add a link with it, then open \(daemon.publicURL)/talk :

            \(addLine(key: key, daemon, slug: "talk"))

        """
    }

    /// A command that adds a link.
    static func addLine(key: String, _ daemon: Daemon, slug: String) -> String {
        "curl \(curlTarget(daemon, "/api-add")) -d key=\(key) -d url_slug=\(slug) -d url=https://example.com/"
    }

    /// What curl needs to ask for a path on this machine: where the daemon listens, whatever the world calls it. Quoted for
    /// a shell, which would take the `&` of a query for itself.
    static func curlTarget(_ daemon: Daemon, _ path: String) -> String {
        let quote = path.contains("?") ? "'" : ""
        let name = daemon.listeners[0].name
        if name.hasPrefix("unix:") { return "--unix-socket \(name.dropFirst(5)) \(quote)http://localhost\(path)\(quote)" }
        return "\(quote)http://\(daemon.localName)\(path)\(quote)"
    }
}
