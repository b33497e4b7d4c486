// The one lock of the project: a value that can be reached only while a pthread mutex is held. Synchronization's Mutex is
// not used because ThreadSanitizer reports false races on it with Swift 6.3. Nothing may block, and no system call may be
// made, inside `withLock`.
internal import Glibc

/// A value guarded by a mutex. Any thread; not recursive.
@safe package final class Lock<Value>: @unchecked Sendable {
    // Sendable by hand: `value` is touched only between lock and unlock of `mutex`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

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
    package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result
    {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
