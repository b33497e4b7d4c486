// A point in time taken apart into the fields of the UTC calendar, without Foundation. Knows no zones and no leap seconds.
internal import Glibc

/// A UTC date and time to the millisecond, in the proleptic Gregorian calendar.
package struct UTCTime: Equatable, Sendable {
    package let year: Int
    /// 1...12.
    package let month: Int
    /// 1...31.
    package let day: Int
    /// 0...23.
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int

    /// The time `seconds` (and some milliseconds) after 1970 began; negative seconds lie before it.
    package init(secondsSince1970 seconds: Int64, millisecond: Int = 0) {
        // Floored, not cut: a second before 1970 belongs to 31 December 1969.
        let inDay = Int((seconds % 86_400 + 86_400) % 86_400)
        let days = Int((seconds - Int64(inDay)) / 86_400)
        // Counted from 1 March of the year 0, so that the leap day is the last of its year and the months' lengths follow
        // one formula; 400 years have 146,097 days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = inDay / 3_600
        minute = inDay / 60 % 60
        second = inDay % 60
        self.millisecond = millisecond
    }

    /// The system's clock now (clock_gettime(2), CLOCK_REALTIME); it may be set back between two calls.
    package static var now: UTCTime {
        var time = timespec()
        // The pointer lives only for the call.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(secondsSince1970: Int64(time.tv_sec), millisecond: time.tv_nsec / 1_000_000)
    }

    /// RFC 3339 with milliseconds: `2030-01-02T03:04:05.678Z`.
    package var rfc3339: String {
        "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock).\(padded(millisecond, 3))Z"
    }

    /// For people, to the second: `2030-01-02 03:04:05`.
    package var readable: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2)) \(clock)" }

    /// For names of files, in the order of time: `20300102-030405`.
    package var stamp: String {
        "\(padded(year, 4))\(padded(month, 2))\(padded(day, 2))-\(padded(hour, 2))\(padded(minute, 2))\(padded(second, 2))"
    }

    private var clock: String { "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))" }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
