// The Date field (RFC 9110 §5.6.7, §6.6.1), made once a second and copied into every answer.

/// Writes seconds since 1970 as an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`, always 29 bytes.
package func httpDate(_ seconds: Int64) -> [UInt8] {
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let second = Int(seconds - days * 86_400)
    let (year, month, day) = civilDate(days)
    let weekday = Int(((days + 4) % 7 + 7) % 7)
    let names: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months: [StaticString] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let text =
        "\(names[weekday]), \(padded(day, 2)) \(months[month - 1]) \(padded(year, 4)) "
        + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2)) GMT"
    return Array(text.utf8)
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The Gregorian date of a day counted from 1970-01-01, by counting 400-year eras that begin on 1 March, so that the leap
/// day is the last of its year.
private func civilDate(_ days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468  // days from 0000-03-01 to 1970-01-01
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (Int(year), Int(month), Int(day))
}
