// A disk for one test that fails at a chosen operation, and loses what was not synced when its power is cut.
import FaultyDisk
import Foundation

/// The folder and what can be done to its disk. One store at a time; any thread.
final class FaultyDisk: Sendable {
    /// What happens at the chosen operation.
    enum Fault: Int32, CaseIterable {
        /// It does nothing and reports an error, once.
        case fails = 1
        /// The disk is full, once.
        case isFull
        /// It is done by half and reports an error, once.
        case doesHalf
        /// It and all later ones fail.
        case breaks
        case losesPower

        /// Whether whatever comes after it goes well.
        var isOnce: Bool { self != .breaks && self != .losesPower }
    }

    /// Which writes survive a power cut of those that were not synced.
    enum Keeps: Int32, CaseIterable {
        case none
        case some
        case all
    }

    /// All operations that change something.
    static let changes = UInt32(
        FAULTY_DISK_WRITE | FAULTY_DISK_SYNC | FAULTY_DISK_TRUNCATE | FAULTY_DISK_OPEN | FAULTY_DISK_DELETE
            | FAULTY_DISK_SHARE)
    static let reads = UInt32(FAULTY_DISK_READ)

    let folder: TemporaryFolder
    private let handle: Int32

    init() throws {
        folder = try TemporaryFolder()
        // As SQLite names it: /tmp may be a link.
        let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
        // The name is copied before the call returns.
        handle = unsafe faulty_disk_make(path)
        guard handle >= 0 else { throw Unexpected.noDisk }
    }

    deinit { faulty_disk_free(handle) }

    /// Counts operations from here, and lets one of them have the fault; number 0 is none.
    func arm(_ fault: Fault, at number: Int64, kinds: UInt32 = changes) {
        faulty_disk_arm(handle, kinds, fault.rawValue, number)
    }

    var count: Int64 { faulty_disk_count(handle) }
    var hasFailed: Bool { faulty_disk_has_failed(handle) != 0 }

    /// How often a log was worked off without its write lock held all the time.
    var unguardedWorks: Int64 { faulty_disk_unguarded(handle) }

    /// How often a file was synced before all that SQLite had written to it was there.
    var earlySyncs: Int64 { faulty_disk_unwritten(handle) }

    func cutPower() { faulty_disk_cut(handle) }

    /// The machine starts again, without any file open; `seed` chooses what survived.
    func restart(_ keeps: Keeps, seed: UInt64) throws {
        guard faulty_disk_restart(handle, keeps.rawValue, seed) == 0 else { throw Unexpected.noDisk }
    }
}
