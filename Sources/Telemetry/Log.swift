// The program's log: one line an event, on standard error. It never writes on the caller's thread, and never makes a
// decision: what is worth a line is its callers' business.

/// Where events are told. Any thread; taking a line costs an allocation and a short lock, never a system call but for the
/// time.
package final class Log: Sendable {
    package let level: LogLevel
    package let format: LogFormat
    private let now: @Sendable () -> UTCTime
    private let buffer: LogBuffer

    /// A log that writes lines of `level` and above to `descriptor` (standard error unless a test says otherwise), which
    /// stays the caller's to close. Holds at most `limit` bytes of unwritten lines; what does not fit is dropped, counted,
    /// and the count said in a later line.
    package init(
        level: LogLevel = .info, format: LogFormat = .text, descriptor: Int32 = 2, limit: Int = 1 << 20,
        now: @escaping @Sendable () -> UTCTime = { .now }
    ) {
        self.level = level
        self.format = format
        self.now = now
        buffer = LogBuffer(descriptor: descriptor, limit: limit) { dropped in
            let fields: LogFields = ["count": .number(dropped)]
            return LogLine(format, time: now(), level: .warning, message: "log lines were dropped", fields: fields).bytes
        }
    }

    /// Whether a line of this level would be written; for callers whose fields are dear to make.
    package func writes(_ level: LogLevel) -> Bool { level <= self.level }

    package func error(_ message: String, _ fields: LogFields = [:]) { write(.error, message, fields) }
    package func warning(_ message: String, _ fields: LogFields = [:]) { write(.warning, message, fields) }
    package func info(_ message: String, _ fields: LogFields = [:]) { write(.info, message, fields) }
    package func debug(_ message: String, _ fields: LogFields = [:]) { write(.debug, message, fields) }

    /// One answered request, whatever the level: whether there is an access log is a setting of its own.
    package func access(_ entry: AccessEntry) { take(.info, "request", entry.fields) }

    /// Waits until everything logged before is written, `seconds` at most; false if it is not. Blocks: for the end of the
    /// program.
    @discardableResult package func flush(within seconds: Double = 1) -> Bool { buffer.flush(within: seconds) }

    private func write(_ level: LogLevel, _ message: String, _ fields: LogFields) {
        if writes(level) { take(level, message, fields) }
    }

    private func take(_ level: LogLevel, _ message: String, _ fields: LogFields) {
        buffer.add(LogLine(format, time: now(), level: level, message: message, fields: fields).bytes)
    }
}
