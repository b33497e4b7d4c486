// What a thread knows of itself (pthread_getspecific(3)).
internal import Glibc

/// Which loop a thread serves, or runs an errand for: one note of each a thread, nil at first.
struct ThreadNote: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        let failure = unsafe pthread_key_create(&key, nil)
        precondition(failure == 0, "a process has at least 128 keys for its threads (PTHREAD_KEYS_MAX)")
        self.key = key
    }

    /// The calling thread's. It does not keep the loop alive: whoever sets it takes it back before the loop can end.
    var loop: EventLoop? {
        get { unsafe pthread_getspecific(key).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() } }
        nonmutating set {
            unsafe pthread_setspecific(
                key, newValue.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
        }
    }
}
