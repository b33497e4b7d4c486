// epoll(7) and the eventfd(2) that wakes it, owned together. Level-triggered, so that what is not read is reported again, but where
// LINUX_EPOLLET is asked for: then each arrival is reported once, and the kernel does not look at the socket a second time.
internal import CLinux
internal import Glibc

/// One epoll instance. Waiting and reading events is for one thread at a time; all else may be called from any.
@safe final class Poller: @unchecked Sendable {
    // Sendable by hand: the descriptors never change, and the kernel guards what is behind them; the events are the waiting
    // thread's alone.
    private let epoll: Int32
    private let wakeup: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>
    static let wakeToken = UInt64.max

    struct Event {
        let token: UInt64
        let isReadable: Bool
        let isWritable: Bool
        let isBroken: Bool
        /// One read does not take all there is: behind it comes the peer's end (LINUX_EPOLLRDHUP) or a mark of urgent data
        /// (LINUX_EPOLLPRI), at which recv(2) stops.
        let stopsShort: Bool
    }

    /// Throws errno when the kernel gives no descriptors.
    init() throws(SocketError) {
        epoll = epoll_create1(LINUX_EPOLL_CLOEXEC)
        wakeup = eventfd(0, LINUX_EFD_NONBLOCK | LINUX_EFD_CLOEXEC)
        // 256 events a turn: enough to share the turn's fixed costs, few enough to keep it short.
        unsafe events = UnsafeMutableBufferPointer.allocate(capacity: 256)
        guard epoll >= 0, wakeup >= 0 else { throw SocketError("epoll_create1", errno) }
        _ = linux_epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, LINUX_EPOLLIN, Self.wakeToken)
    }

    deinit {
        close(epoll)
        close(wakeup)
        unsafe events.deallocate()
    }

    /// Waits at most `milliseconds` (-1: for ever) and returns how many events there are.
    func wait(milliseconds: Int32) -> Int {
        max(0, unsafe Int(linux_epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)))
    }

    /// The event at an index below what `wait` returned.
    func event(_ index: Int) -> Event {
        let event = unsafe events[index]
        let flags = unsafe event.events
        return unsafe Event(
            token: event.data.u64, isReadable: flags & LINUX_EPOLLIN != 0,
            isWritable: flags & LINUX_EPOLLOUT != 0,
            isBroken: flags & (LINUX_EPOLLERR | LINUX_EPOLLHUP) != 0,
            stopsShort: flags & (LINUX_EPOLLRDHUP | LINUX_EPOLLPRI) != 0)
    }

    func add(_ descriptor: Int32, _ events: UInt32, token: UInt64) -> Bool {
        linux_epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, events, token) == 0
    }

    /// Waits for another's events too, as long as they are there.
    func add(_ other: Poller) -> Bool { add(other.epoll, LINUX_EPOLLIN, token: 0) }

    /// Sets what is waited for. What is there already is reported, also once more where nothing changes.
    func change(_ descriptor: Int32, _ events: UInt32, token: UInt64) {
        _ = linux_epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, events, token)
    }

    func remove(_ descriptor: Int32) { _ = linux_epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0, 0) }

    func remove(_ other: Poller) { remove(other.epoll) }

    /// Makes a waiting `wait` return.
    func wake() {
        var one: UInt64 = 1
        // A full counter (EAGAIN) wakes as well.
        _ = unsafe write(wakeup, &one, 8)
    }

    /// Takes the wake-up back, so that the next `wait` waits.
    func clearWake() {
        var count: UInt64 = 0
        _ = unsafe read(wakeup, &count, 8)
    }
}

/// A system call on a socket that failed.
package struct SocketError: Error, Sendable {
    package let call: String
    package let code: Int32

    init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    /// The kernel's words for it.
    package var message: String { unsafe String(cString: strerror(code)) }
}
