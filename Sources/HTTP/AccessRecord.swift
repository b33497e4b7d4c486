// What the access log will tell of the request at hand; kept only where there is an access log.
internal import CLinux
internal import Telemetry

/// One a request; a class so that a connection has no room for it where there is no access log.
final class AccessRecord {
    private let method: [UInt8]
    private let target: RedactedTarget
    private let startedAt: UInt64
    private let client: ClientAddress
    var status = 0
    /// Content bytes of the answer, framing aside.
    var bytes = 0

    init(_ request: borrowing Request) {
        method = Array(request.method.name.utf8)
        // The buffer is read during the call only.
        target = unsafe request.target.withUnsafeBufferPointer { unsafe RedactedTarget($0) }
        client = request.client
        startedAt = linux_monotonic_nanoseconds()
    }

    /// Of a request that could not be read, or did not come in time: what it asked for is not known.
    init(from client: ClientAddress) {
        method = [UInt8(ascii: "-")]
        target = RedactedTarget([UInt8(ascii: "-")])
        self.client = client
        startedAt = linux_monotonic_nanoseconds()
    }

    var entry: AccessEntry {
        AccessEntry(
            client: client.text, method: method, target: target, status: status, bytes: bytes,
            microseconds: Int((linux_monotonic_nanoseconds() - startedAt) / 1000))
    }
}
