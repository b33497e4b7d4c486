// Waiting times by the clock that nobody can set back.
internal import CLinux

/// A moment by which something has to be done.
struct Deadline: Sendable {
    private let nanoseconds: UInt64

    /// Not after all the time there is: a wait of centuries is cut there.
    init(after wait: Duration) {
        let (seconds, attoseconds) = wait.components
        let length = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let rounded = length.overflow ? UInt64.max / 2 : min(length.partialValue, UInt64.max / 2)
        nanoseconds = linux_monotonic_nanoseconds() + rounded + UInt64(clamping: attoseconds / 1_000_000_000)
    }

    var isOver: Bool { linux_monotonic_nanoseconds() >= nanoseconds }
}
