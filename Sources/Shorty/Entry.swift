import SQLiteStore
import Shortening
import HTTP
import Telemetry
enum Entry {
    static func run() {
        var plan = DaemonPlan()
        let a = CommandLine.arguments
        func opt(_ n: String) -> String? { a.firstIndex(of: n).map { a[$0 + 1] } }
        if let d = opt("--database") { plan.database = d }
        if let l = opt("--listen") { let p = l.split(separator: ":"); plan.listen = [.address(host: String(p[0]), port: UInt16(p[1]) ?? 0)] }
        plan.publicURL = opt("--public-url")
        if a.contains("key") {
            do {
                let store = try SQLiteStore.open(file: plan.database)
                let secret = opt("--secret").map { try! KeySecret(chosen: $0) } ?? KeySecret.generate()
                _ = try store.createKey(account: opt("--name") ?? "x", label: "", digest: secret.digest)
                print(secret.text)
                store.close()
            } catch { print(error) }
            return
        }
        if a[1] == "demo" {
            plan.database = "/tmp/demo-\(UInt64.random(in: 0...UInt64.max)).db"
            let store = try! SQLiteStore.open(file: plan.database)
            _ = try! store.createKey(account: "demo", label: "", digest: try! KeySecret(chosen: "my_key").digest)
            store.close()
        }
        let signals = StopSignals()
        let log = Log()
        do {
            let d = try Daemon(plan, log: log)
            signals.wait()
            d.stop()
        } catch { print(error) }
        log.flush()
    }
}
