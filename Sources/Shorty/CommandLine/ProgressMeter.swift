// How far a long command has come: a bar that is drawn anew on a terminal, a line now and then elsewhere. All of it on standard
// error, where it mixes with nothing that is piped.
internal import Glibc

/// Shows progress. Confined to one thread.
final class ProgressMeter {
    /// Often enough on a terminal to be seen moving, seldom enough elsewhere for a log.
    private static let (redrawing, logging) = (Duration.milliseconds(100), Duration.seconds(5))

    private let console: Console
    private let isTerminal: Bool
    private var next: ContinuousClock.Instant
    private var isBarShown = false

    init(_ console: Console) {
        self.console = console
        isTerminal = isatty(console.errors) == 1
        // The quick ones end without a word.
        next = .now + (isTerminal ? .milliseconds(300) : Self.logging)
    }

    /// Shows a stage of the work, at most some times a second. `total` is nil where nobody knows it.
    func show(_ stage: String, _ done: Int, of total: Int?, unit: ProgressText.Unit) {
        let now = ContinuousClock.now
        guard now >= next else { return }
        next = now + (isTerminal ? Self.redrawing : Self.logging)
        if isTerminal {
            isBarShown = true
            console.draw("\r" + ProgressText.bar(stage, done, of: total, unit) + "\u{1b}[K")
        } else {
            console.complain("shorty: " + ProgressText.line(stage, done, of: total, unit))
        }
    }

    /// Says a line that stays; the bar moves out of its way.
    func say(_ line: String) {
        clear()
        console.complain(line)
    }

    /// Takes the bar away.
    func clear() {
        if isBarShown { console.draw("\r\u{1b}[K") }
        isBarShown = false
    }
}

/// The texts of a progress meter.
enum ProgressText {
    enum Unit {
        case bytes
        case links
    }

    private static let barWidth = 30

    /// `Reading  [###############               ]  50 %  120 of 240 MiB`, within 79 columns.
    static func bar(_ stage: String, _ done: Int, of total: Int?, _ unit: Unit) -> String {
        guard let total, total > 0 else { return "\(stage)  \(amount(done, unit))" }
        let filled = barWidth * min(done, total) / total
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: barWidth - filled)
        return "\(stage)  [\(bar)] \(percent(done, total))  \(amount(done, of: total, unit))"
    }

    /// `reading: 50 %, 120 of 240 MiB`
    static func line(_ stage: String, _ done: Int, of total: Int?, _ unit: Unit) -> String {
        guard let total, total > 0 else { return "\(stage.lowercased()): \(amount(done, unit))" }
        return "\(stage.lowercased()): \(percent(done, total)), \(amount(done, of: total, unit))"
    }

    /// `1 link`, `1,234,567 links`
    static func links(_ count: Int) -> String { "\(grouped(count)) \(count == 1 ? "link" : "links")" }

    /// Digits in groups of three.
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0, digits[index - 1] != "-" { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `0.3 s`, `12.0 s`
    static func seconds(_ time: Duration) -> String {
        let tenths = time.components.seconds * 10 + time.components.attoseconds / 100_000_000_000_000_000
        return "\(grouped(Int(tenths / 10))).\(tenths % 10) s"
    }

    private static func percent(_ done: Int, _ total: Int) -> String {
        let digits = String(min(100, 100 * done / total))
        return String(repeating: " ", count: max(0, 3 - digits.count)) + digits + " %"
    }

    private static func amount(_ done: Int, of total: Int, _ unit: Unit) -> String {
        switch unit {
        case .bytes: "\(grouped(done >> 20)) of \(grouped(total >> 20)) MiB"
        case .links: "\(grouped(done)) of \(links(total))"
        }
    }

    private static func amount(_ done: Int, _ unit: Unit) -> String {
        switch unit {
        case .bytes: "\(grouped(done >> 20)) MiB"
        case .links: links(done)
        }
    }
}
