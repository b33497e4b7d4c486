// The folder of the daemon's backups: their names, and which of them have to go. Touches no other file in it.
internal import FoundationEssentials
internal import Glibc
internal import SQLiteStore
internal import Shortening
internal import Telemetry

/// Where and how often a daemon backs its store up.
struct BackupPlan: Sendable {
    var every: Duration
    var keep: Int
    var directory: String
    var database: String
}

/// The backups of one folder. Blocks.
struct BackupFolder: Sendable {
    let path: String

    /// The name of a backup that is made at this time: `shorty-20300102-030405.db`.
    static func name(_ time: UTCTime) -> String { "shorty-\(time.stamp).db" }

    /// Whether a backup could have this name.
    static func isBackup(_ name: String) -> Bool {
        let shape = "shorty-########-######.db".utf8
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return name.utf8.count == shape.count
            && zip(name.utf8, shape).allSatisfy { $1 == UInt8(ascii: "#") ? digits.contains($0) : $0 == $1 }
    }

    /// All backups by name, the oldest first.
    var backups: [String] { names.filter(Self.isBackup).sorted() }

    /// The name of the backup that was written last, and when in seconds since 1970; nil where there is none. Those of a clock that is
    /// ahead of `now` do not count: they would put the next one off for as long.
    func newest(now: Int64) -> (name: String, written: Int64)? {
        let written = backups.compactMap { name -> (name: String, written: Int64)? in
            var facts = stat()
            return unsafe stat("\(path)/\(name)", &facts) == 0 ? (name, Int64(facts.st_mtim.tv_sec)) : nil
        }
        return written.filter { $0.written <= now }.max { ($0.written, $0.name) < ($1.written, $1.name) }
    }

    /// Makes the folder where it is missing; only its owner can look into it.
    func make() throws(StoreError) {
        guard unsafe mkdir(path, S_IRWXU) != 0, errno != EEXIST else { return }
        let reason = unsafe String(cString: strerror(errno))
        throw .readOnly("The folder \(path) cannot be made by user \(geteuid()): \(reason). Make it, or name another.")
    }

    /// Deletes the oldest backups beyond `count`, at least 1, and what a killed daemon left of one. The one just `written` stays: names
    /// that are later than its own are from a clock that was ahead, and go before all others.
    func prune(to count: Int, written: String) {
        let backups = backups
        let inOrder = backups.filter { $0 > written } + backups.filter { $0 <= written }
        for name in inOrder.dropLast(count) + names.filter(Self.isUnfinished) { unsafe unlink("\(path)/\(name)") }
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    private static func isUnfinished(_ name: String) -> Bool {
        let length = "shorty-########-######.db".count
        return isBackup(String(name.prefix(length))) && name.dropFirst(length).hasPrefix(".partial-")
    }
}
