// A reference that takes no part in counting. Swift counts a reference that is taken out of an array, or out of a property that
// may change, before it is used and after: two atomic operations, half a percent of a redirect each time.

/// A reference to an object that somebody else keeps alive. Public, as `Lock` is, so that Swift inlines it.
@safe public struct Uncounted<Object: AnyObject> {
    @usableFromInline let reference: Unmanaged<Object>

    /// Unsafe: whoever makes it sees to it that the object outlives every use.
    @unsafe @inlinable
    public init(_ object: Object) { unsafe reference = Unmanaged.passUnretained(object) }

    /// Where the object lies. To be given to the processor as a hint, not to be read.
    @inlinable
    public var address: UnsafeRawPointer { unsafe UnsafeRawPointer(reference.toOpaque()) }

    /// Runs `body` with the object; returns what it does.
    @inlinable @inline(__always)
    public func with<Result>(_ body: (Object) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { body($0) }
    }
}

// As far as the object itself may go from thread to thread.
extension Uncounted: @unchecked Sendable where Object: Sendable {}
