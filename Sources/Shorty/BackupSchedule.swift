// The daemon's backups: one after another, on a queue that gives way to everything else. Knows nothing of what is in them.
internal import Dispatch
internal import Glibc
internal import SQLiteStore
internal import Shortening
internal import Telemetry
internal import Web

/// Makes a backup every so often until it is stopped. Any thread.
final class BackupSchedule: Sendable {
    private struct State {
        var last: LastBackup?
        var isStopped = false
    }

    /// After one that failed, the next is tried this soon at the latest.
    private static let patience = Duration.seconds(600)

    private let plan: BackupPlan
    private let folder: BackupFolder
    private let log: Log
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "shorty.backup", qos: .utility)

    init(_ plan: BackupPlan, log: Log) {
        self.plan = plan
        self.log = log
        folder = BackupFolder(path: plan.directory)
        state = Lock(State())
    }

    /// What came of the last one, of an earlier run too.
    var last: LastBackup? { state.withLock { $0.last } }

    /// The first is due when the newest that is there is old enough; times are then measured by the clock that nobody sets.
    func start() {
        let now = Int64(time(nil))
        guard let newest = folder.newest(now: now) else { return schedule(after: .zero) }
        state.withLock {
            $0.last = LastBackup(time: UTCTime(secondsSince1970: newest.written), file: newest.name, error: nil)
        }
        schedule(after: max(.zero, plan.every - .seconds(now - newest.written)))
    }

    /// No backup begins after this, and one that is being copied is given up; does not wait for it.
    func stop() { state.withLock { $0.isStopped = true } }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func schedule(after wait: Duration) {
        let (seconds, attoseconds) = wait.components
        let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in self?.run() }
    }

    private func run() {
        if isStopped { return }
        let time = UTCTime.now
        let name = BackupFolder.name(time)
        do throws(StoreError) {
            try folder.make()
            let start = ContinuousClock.now
            let copy = try SQLiteStore.backUp(plan.database, to: "\(folder.path)/\(name)") { _, _ in !isStopped }
            folder.prune(to: plan.keep, written: name)
            state.withLock { $0.last = LastBackup(time: time, file: name, error: nil) }
            log.info(
                "backup written",
                [
                    "file": .text(copy.path), "links": .number(Int(copy.links)), "bytes": .number(Int(copy.bytes)),
                    "time": .text(ProgressText.seconds(.now - start)),
                ])
            schedule(after: plan.every)
        } catch {
            if isStopped { return }
            state.withLock {
                $0.last = LastBackup(time: time, file: $0.last?.file, error: error.backupReason)
            }
            log.error("backup failed", ["file": .text("\(folder.path)/\(name)"), "reason": .text(error.startMessage)])
            schedule(after: min(plan.every, Self.patience))
        }
    }
}

extension StoreError {
    /// Why there is no backup, for the health check: folders and the library's words stay in the log.
    fileprivate var backupReason: String {
        switch self {
        case .busy: "The store is busy."
        case .full: "The disk of the backups is full."
        case .readOnly: "A file of the backups or of the store cannot be opened or written; the log names it."
        case .unusable: "The store or its copy did not pass the check, or the place is taken; the log says more."
        case .closed, .displaced, .failed: "The copy cannot be finished; the log says why."
        }
    }
}
