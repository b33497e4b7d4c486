// The one lock of the project: a value that can be reached only while a pthread mutex is held. Synchronization's Mutex is
// not used because ThreadSanitizer reports false races on it with Swift 6.3. Nothing may block, and no system call may be
// made, inside `withLock`, but where all who must not wait take the lock by `withLockIfFree`.
public import Glibc

/// A value guarded by a mutex. Any thread; not recursive. Public, as nothing else here is, because Swift inlines only public
/// code into other modules: called as a generic function a lock would cost more than its two pthread calls.
@safe public final class Lock<Value>: @unchecked Sendable {
    // Sendable by hand: `value` is touched only between lock and unlock of `mutex`.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    /// Guards `value`.
    package init(_ value: sending Value) {
        // On the heap because a mutex must not move after it is initialised (pthread_mutex_init(3)).
        unsafe mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread has it; returns and throws what `body` does.
    @inlinable @inline(__always)
    public func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result
    {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Runs `body` with the value where no other thread has it now; nil, at once, where one has.
    @inlinable @inline(__always)
    public func withLockIfFree<Result>(_ body: (inout Value) -> Result) -> Result? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
