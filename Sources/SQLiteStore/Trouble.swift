// What keeps a store from its work, for whoever keeps a log: whoever was refused something is not told the system's words.
internal import CLinux
internal import Shortening
internal import Synchronization
internal import Telemetry

/// The parts of a store that can be in trouble, each by itself.
package enum TroubleArea: Sendable {
    /// The files are not what they were (`displaced`), so nothing is stored.
    case files
    /// Changes are refused.
    case changes
    /// What is not in a memory cannot be looked up.
    case reads
    /// The log cannot be worked off, and grows.
    case log
}

/// Tells of the trouble in one area: of each different error once, and of the end. Any thread.
final class Trouble: Sendable {
    /// How long all must go well, in nanoseconds: on a disk that is full to the last page a small change passes now and then.
    static let calm: UInt64 = 10_000_000_000
    /// Different errors that are told before the end: words that never repeat are not to fill a log.
    private static let limit = 8

    private struct State: Sendable {
        var told: [StoreError] = []
        var last: UInt64 = 0
    }

    private let state = Lock(State())
    private let isOpen = Atomic<Bool>(false)
    private let calm: UInt64
    private let area: TroubleArea
    private let tell: @Sendable (TroubleArea, StoreError?) -> Void

    /// `tell` hears errors and, with nil, the end. It must not block.
    init(in area: TroubleArea, calm: UInt64 = Trouble.calm, _ tell: @escaping @Sendable (TroubleArea, StoreError?) -> Void)
    {
        self.calm = calm
        self.area = area
        self.tell = tell
    }

    /// Whether it is not over yet.
    var isThere: Bool { isOpen.load(ordering: .acquiring) }

    /// Files that are not what they were are told of in their own area alone.
    func met(_ error: StoreError) {
        if case .displaced = error, area != .files { return }
        let isNew = state.withLock { state in
            state.last = linux_monotonic_nanoseconds()
            isOpen.store(true, ordering: .releasing)
            guard state.told.count < Self.limit, !state.told.contains(error) else { return false }
            state.told.append(error)
            return true
        }
        if isNew { tell(area, error) }
    }

    /// Something went well. One load of memory where nothing is wrong.
    func passed() {
        guard isThere else { return }
        let isOver = state.withLock { state in
            guard !state.told.isEmpty, linux_monotonic_nanoseconds() - state.last >= calm else { return false }
            state.told.removeAll()
            isOpen.store(false, ordering: .relaxed)
            return true
        }
        if isOver { tell(area, nil) }
    }
}
