// UTCTime against dates that are known.
import Testing

@testable import Telemetry

struct UTCTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.007Z"), (-1, "1969-12-31T23:59:59.007Z"), (951_782_400, "2000-02-29T00:00:00.007Z"),
        (951_868_800, "2000-03-01T00:00:00.007Z"), (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        (1_893_553_445, "2030-01-02T03:04:05.007Z"), (-62_135_596_800, "0001-01-01T00:00:00.007Z"),
    ])
    func `seconds since 1970 become the right day`(seconds: Int64, text: String) {
        #expect(UTCTime(secondsSince1970: seconds, millisecond: 7).rfc3339 == text)
    }

    @Test func `every day of 800 years follows the one before`() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var day = 1
        var month = 1
        var year = 1600
        for number in 0..<292_194 {
            let time = UTCTime(secondsSince1970: (Int64(number) - 135_140) * 86_400)
            #expect(time.day == day && time.month == month && time.year == year)
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            day += 1
            if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) { (day, month) = (1, month + 1) }
            if month > 12 { (month, year) = (1, year + 1) }
        }
    }
}
