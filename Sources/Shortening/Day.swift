// A day of the calendar, without a time and without a zone. Only days that exist are `Day`s.
internal import Telemetry

/// A day of the proleptic Gregorian calendar, from year 1 to 9999.
package struct Day: Hashable, Comparable, Sendable {
    package let year: Int
    /// 1...12.
    package let month: Int
    /// 1...31.
    package let day: Int

    /// Reads `yyyy-mm-dd` (RFC 3339 §5.6, full-date); nil for anything else and for a day that no month has.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]),
            year >= 1, (1...12).contains(month), (1...Self.length(ofMonth: month, year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Today by the system's clock, UTC.
    package static var today: Day {
        let now = UTCTime.now
        return Day(now.year, now.month, now.day)
    }

    private init(_ year: Int, _ month: Int, _ day: Int) { (self.year, self.month, self.day) = (year, month, day) }

    /// The day that many days after 1 January 1970.
    package init(daysSince1970 days: Int) {
        let time = UTCTime(secondsSince1970: Int64(days) * 86_400)
        (year, month, day) = (time.year, time.month, time.day)
    }

    /// The day that many days later, or earlier.
    package func advanced(by days: Int) -> Day { Day(daysSince1970: daysSince1970 + days) }

    /// Days from 1 January 1970 to this one. Counted from 1 March of the year 0, so that the leap day ends its year.
    package var daysSince1970: Int {
        let (shiftedYear, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        return shiftedYear * 365 + leapDays + (153 * shiftedMonth + 2) / 5 + day - 1 - 719_468
    }

    /// `yyyy-mm-dd`.
    package var text: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    package static func < (left: Day, right: Day) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
