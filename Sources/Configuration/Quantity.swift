// Numbers with and without a unit, read strictly: what could be meant in two ways (`1k`, `1M`, `5 minutes`) is refused.

/// Reads and writes whole numbers, sizes in bytes, and times.
enum Quantity {
    private static let sizes = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)]
    /// In milliseconds.
    private static let times = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]

    /// Decimal digits alone, with a minus at most in front.
    static func integer(_ text: String) -> Int? {
        text.utf8.first == UInt8(ascii: "+") ? nil : Int(text)
    }

    /// Bytes: `1048576`, `1024KiB`, `1MiB`.
    static func size(_ text: String) -> Int? {
        guard let (number, fraction, unit) = parts(of: text), fraction == 0 else { return nil }
        guard let factor = unit.isEmpty ? 1 : sizes.first(where: { $0.0 == unit })?.1 else { return nil }
        return product(number, factor)
    }

    /// `10` and `10s` are ten seconds; at most three digits after the point.
    static func duration(_ text: String) -> Duration? {
        guard let (number, thousandths, unit) = parts(of: text) else { return nil }
        guard let factor = unit.isEmpty ? 1_000 : times.first(where: { $0.0 == unit })?.1 else { return nil }
        guard let whole = product(number, factor), thousandths * factor % 1_000 == 0 else { return nil }
        return .milliseconds(whole + thousandths * factor / 1_000)
    }

    /// In the largest unit that gives a whole number.
    static func shown(size: Int) -> String {
        let unit = sizes.first { size % $0.1 == 0 && size != 0 } ?? ("B", 1)
        return unit.1 == 1 ? String(size) : "\(size / unit.1)\(unit.0)"
    }

    /// In the largest unit that gives a whole number; finer than a millisecond is cut off.
    static func shown(duration: Duration) -> String {
        let milliseconds =
            Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
        if milliseconds == 0 { return "0s" }
        let unit = times.first { milliseconds % $0.1 == 0 } ?? ("ms", 1)
        return "\(milliseconds / unit.1)\(unit.0)"
    }

    /// The number, its thousandths and its unit; nil where the text is not made so.
    private static func parts(of text: String) -> (number: Int, thousandths: Int, unit: String)? {
        let digits = text.utf8.prefix { isDigit($0) }
        var rest = text.utf8.dropFirst(digits.count)
        var thousandths = 0
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { isDigit($0) }
            guard (1...3).contains(fraction.count) else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
            let padded = String(fraction) ?? ""
            thousandths = Int(padded + String(repeating: "0", count: 3 - fraction.count)) ?? 0
        }
        guard let number = Int(String(digits) ?? ""), let unit = String(rest) else { return nil }
        return (number, thousandths, unit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func product(_ number: Int, _ factor: Int) -> Int? {
        let (result, isTooBig) = number.multipliedReportingOverflow(by: factor)
        return isTooBig ? nil : result
    }
}
