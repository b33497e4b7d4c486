// A loop's connections by slot, with what is asked of them most beside them in dense arrays: whose slot it is, and when it is
// to be looked at again. A connection's own memory was last used some hundred requests ago, so each look at it is a wait.
internal import Telemetry

struct ConnectionTable {
    private struct Seat {
        let token: ConnectionToken
        let connection: Uncounted<Connection>
    }

    private var connections: [Connection?] = []
    /// The same, for a quicker look.
    private var seats: [Seat?] = []
    /// Monotonic nanoseconds; `.max` for none.
    private var deadlines: [UInt64] = []
    private var free: [Int] = []
    private var serial: UInt32 = 0
    /// Removed since `letGo` was last called.
    private var removed: [Connection] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    var all: [Connection] { connections.compactMap(\.self) }

    /// The token that the next inserted connection must have.
    var nextToken: ConnectionToken { ConnectionToken(slot: free.last ?? connections.count, serial: serial) }

    subscript(token: ConnectionToken) -> Connection? {
        let slot = token.slot
        guard slot < connections.count, let connection = connections[slot], connection.token == token else { return nil }
        return connection
    }

    /// The connection of a token, uncounted: it lives until `letGo` is called, also where it is removed before.
    func uncounted(_ token: ConnectionToken) -> Uncounted<Connection>? {
        let slot = token.slot
        guard slot < seats.count, let seat = seats[slot], seat.token == token else { return nil }
        return seat.connection
    }

    /// Lets the connections die that were removed.
    mutating func letGo() { if !removed.isEmpty { removed.removeAll(keepingCapacity: true) } }

    mutating func insert(_ connection: Connection) {
        // 2^31, so that no token ever has the top bit, which marks listeners.
        serial = (serial &+ 1) & 0x7fff_ffff
        count += 1
        let slot = connection.token.slot
        if slot == connections.count {
            connections.append(connection)
            // Gone from here before `connections` and `removed` let it die.
            unsafe seats.append(Seat(token: connection.token, connection: Uncounted(connection)))
            deadlines.append(.max)
        } else {
            free.removeLast()
            connections[slot] = connection
            unsafe seats[slot] = Seat(token: connection.token, connection: Uncounted(connection))
        }
    }

    mutating func remove(_ token: ConnectionToken) {
        guard let connection = self[token] else { return }
        removed.append(connection)
        connections[token.slot] = nil
        seats[token.slot] = nil
        deadlines[token.slot] = .max
        free.append(token.slot)
        count -= 1
    }

    mutating func setDeadline(_ token: ConnectionToken, _ deadline: UInt64) { deadlines[token.slot] = deadline }

    func expired(at now: UInt64) -> [Connection] {
        var expired: [Connection] = []
        for slot in deadlines.indices where deadlines[slot] <= now {
            if let connection = connections[slot] { expired.append(connection) }
        }
        return expired
    }
}
