// What a log line can hold. Values are kept as they came; making them fit for a line is LogLine's work.

/// How much a line matters. A log set to one level writes it and all above it.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case error, warning, info, debug

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }

    /// More urgent is less.
    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}

/// How lines are written.
package enum LogFormat: String, CaseIterable, Sendable {
    /// `TIME LEVEL MESSAGE name=value …`, for people.
    case text
    /// One JSON object a line, for programs.
    case json
}

/// The value of one field of a line. Never a secret: whoever makes a value from a request uses `RedactedTarget`.
package enum LogValue: Equatable, Sendable {
    case text(String)
    case number(Int)
    /// Bytes from the wire, of which it is not known whether they are UTF-8.
    case bytes([UInt8])
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
}

/// Fields in the order they are written. Names are fixed in the code: letters, digits, `-` and `_`.
package typealias LogFields = KeyValuePairs<StaticString, LogValue>
