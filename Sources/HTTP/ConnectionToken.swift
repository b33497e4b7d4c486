// Names a connection in places that may outlive it: epoll's event data, tickets and the mailbox.

/// A slot of a loop's table with the serial number of its tenant: a token of a closed connection never means the next one.
struct ConnectionToken: Hashable, Sendable {
    let raw: UInt64

    init(raw: UInt64) { self.raw = raw }

    init(slot: Int, serial: UInt32) { raw = UInt64(serial) << 32 | UInt64(UInt32(truncatingIfNeeded: slot)) }

    var slot: Int { Int(UInt32(truncatingIfNeeded: raw)) }
}
