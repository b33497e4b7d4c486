// One change that waits for its turn in the writer's next transaction.
internal import Shortening

/// What is left to do for a change once its transaction is on the disk.
struct Acknowledgement {
    /// The slug whose answer changed.
    var touched: Slug?
    var touchesKeys = false
    /// Tells the caller.
    let call: () -> Void
}

/// A change with its caller. Made on any thread; run on the writer's queue.
struct PendingWrite: Sendable {
    let deadline: Deadline
    /// Makes the change inside an open transaction. May run again after a rollback, so it keeps nothing of its own.
    let run: @Sendable (WriteSession) throws(StoreError) -> Acknowledgement
    /// Tells the caller that nothing was stored.
    let fail: @Sendable (StoreError) -> Void
}
