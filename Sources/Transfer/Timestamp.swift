// Points in time as they stand in files: RFC 3339 with seconds, in UTC.
internal import Telemetry

enum Timestamp {
    /// The last second of the year 9999, and the first of the year 1: between them the text has its usual length.
    private static let textual: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// `2030-01-31T12:00:00Z`; beyond the years with four digits the number of seconds since 1970.
    static func text(_ seconds: Int64) -> String {
        guard textual.contains(seconds) else { return String(seconds) }
        let time = UTCTime(secondsSince1970: seconds)
        return "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
            + "T\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))Z"
    }

    /// The seconds since 1970 that a text means, or nil: such a number itself, a day, or a day and a time. The time may lack its
    /// seconds, have a fraction (which is dropped), and end in `Z`, in `+hh:mm` or `-hh:mm`, or in nothing, which is UTC.
    static func seconds(_ text: Span<UInt8>) -> Int64? {
        var reader = Reader(text)
        if let number = reader.wholeNumber() { return number }
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), (1...12).contains(month), (1...length(of: month, year)).contains(day)
        else { return nil }
        let midnight = days(year, month, day) * 86_400
        if reader.isAtEnd { return midnight }
        guard reader.take("T") || reader.take("t") || reader.take(" "), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), hour < 24, minute < 60
        else { return nil }
        var second: Int64 = 0
        if reader.take(":") {
            // 60 is a leap second; it counts as the one after it.
            guard let number = reader.number(2), number <= 60 else { return nil }
            second = number
            if reader.take(".") { guard reader.skipDigits() else { return nil } }
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        return midnight + hour * 3600 + minute * 60 + second - offset
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func length(of month: Int64, _ year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Days since 1970 began. Counted in years from March, so that the leap day is the last of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        // An era of 400 years has 146,097 days; 719,468 lie between 1 March of the year 0 and 1970.
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Takes a text apart from its beginning.
    private struct Reader: ~Escapable {
        private let text: Span<UInt8>
        private var at = 0

        @_lifetime(copy text)
        init(_ text: Span<UInt8>) { self.text = text }

        var isAtEnd: Bool { at == text.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard at < text.count, text[at] == UInt8(ascii: character) else { return false }
            at += 1
            return true
        }

        /// Exactly so many digits.
        mutating func number(_ digits: Int) -> Int64? {
            guard at + digits <= text.count else { return nil }
            var number: Int64 = 0
            for _ in 0..<digits {
                guard isDigit(text[at]) else { return nil }
                number = number * 10 + Int64(text[at] - UInt8(ascii: "0"))
                at += 1
            }
            return number
        }

        /// The whole text as a number of up to 18 digits.
        func wholeNumber() -> Int64? {
            let start = text.count > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
            guard (1...18).contains(text.count - start) else { return nil }
            var number: Int64 = 0
            for index in start..<text.count {
                guard isDigit(text[index]) else { return nil }
                number = number * 10 + Int64(text[index] - UInt8(ascii: "0"))
            }
            return start == 1 ? -number : number
        }

        mutating func skipDigits() -> Bool {
            let start = at
            while at < text.count, isDigit(text[at]) { at += 1 }
            return at > start
        }

        /// Seconds that the text's clock is ahead of UTC.
        mutating func offset() -> Int64? {
            if isAtEnd || take("Z") || take("z") { return 0 }
            let isAhead = take("+")
            guard isAhead || take("-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            return (isAhead ? 1 : -1) * (hours * 3600 + minutes * 60)
        }

        private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    }
}
