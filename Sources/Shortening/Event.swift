// When and where what a link is about takes place, and the choice of events by month.

/// A dated event of a link: a course's class, for instance.
package struct Event: Equatable, Sendable {
    package let firstDay: Day
    /// Not before the first.
    package let lastDay: Day
    /// One text, however many they are; clients show it as it is.
    package let instructors: String
    package let location: String

    /// Characters of a text at most.
    package static let textLimit = 500

    /// Throws the first thing that is wrong.
    package init(firstDay: Day, lastDay: Day, instructors: String, location: String) throws(EventError) {
        guard firstDay <= lastDay else { throw .order }
        for text in [instructors, location] where text.utf8.contains(0) || text.unicodeScalars.count > Self.textLimit {
            throw .text(limit: Self.textLimit)
        }
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.instructors = instructors
        self.location = location
    }

    /// An event that comes from the store and was checked when it went in.
    package init(stored firstDay: Day, _ lastDay: Day, instructors: String, location: String) {
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.instructors = instructors
        self.location = location
    }
}

/// Why there can be no such event.
package enum EventError: Error, Equatable, Sendable {
    /// It would end before it starts.
    case order
    /// A text is longer than the limit, or holds a NUL.
    case text(limit: Int)

    /// What was wrong and what to do, in a sentence.
    package var message: String {
        switch self {
        case .order: "The last day lies before the first; exchange them."
        case .text(let limit):
            "Instructors and location must not hold a NUL character, and at most \(limit) characters are allowed in each."
        }
    }
}

/// Which events a listing shows: those that start in a year, in a month of any year, or both.
package struct EventFilter: Equatable, Sendable {
    package var year: Int?
    /// 1...12.
    package var month: Int?

    package init(year: Int? = nil, month: Int? = nil) {
        self.year = year
        self.month = month
    }

    /// Whether nothing is left out, members without any event neither.
    package var isEmpty: Bool { year == nil && month == nil }

    package func passes(_ event: Event) -> Bool {
        (year == nil || year == event.firstDay.year) && (month == nil || month == event.firstDay.month)
    }
}
