// Days, events, tags and the names of collections.
import Shortening
import Testing

@Suite struct DayTests {
    @Test(arguments: ["2030-01-02", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
    func `a day that exists is read and written alike`(text: String) { #expect(Day(text)?.text == text) }

    @Test(arguments: [
        "", "2030-1-02", "2030-02-30", "2023-02-29", "1900-02-29", "2030-13-01", "2030-00-01", "2030-01-00", "2030-01-32",
        "0000-01-01", "2030/01/02", "2030-01-02T00:00:00Z", " 2030-01-02", "20300102", "２030-01-0", "-030-01-02",
    ])
    func `anything else is no day`(text: String) { #expect(Day(text) == nil) }

    @Test func `days count from 1970 and compare by the calendar`() {
        #expect(Day(daysSince1970: 0).text == "1970-01-01")
        #expect(Day(daysSince1970: 19_782).text == "2024-02-29")
        #expect(Day(daysSince1970: 19_782) < Day(daysSince1970: 19_783))
        #expect(Day(daysSince1970: 365).text == "1971-01-01")
    }

    @Test func `an event does not end before it starts, and its texts have a limit`() throws {
        let (first, last) = (try #require(Day("2030-01-02")), try #require(Day("2030-01-01")))
        #expect(throws: EventError.order) { try Event(firstDay: first, lastDay: last, instructors: "", location: "") }
        let long = String(repeating: "é", count: 500)
        #expect(throws: Never.self) { try Event(firstDay: first, lastDay: first, instructors: long, location: long) }
        for text in [long + "x", "a\u{0}"] {
            #expect(throws: EventError.text(limit: 500)) {
                try Event(firstDay: first, lastDay: first, instructors: text, location: "")
            }
        }
    }

    @Test(arguments: [
        ("Red", "red"), (" red ", "red"), ("ROT BLAU", "rot blau"), ("Grün", "grün"), ("a", "a"), ("", nil), ("  ", nil),
        ("a,b", nil), ("a\nb", nil), ("a\u{0}", nil), (String(repeating: "x", count: 51), nil),
    ])
    func `a tag is a short word in small letters`(text: String, tag: String?) { #expect(Tag(text)?.text == tag) }

    @Test func `a collection's name obeys the rules of slugs`() throws {
        let reserved = ReservedNames(["add"])
        #expect(try CollectionName("courses", reserved: reserved).text == "courses")
        #expect(throws: SlugError.reserved("Add")) { try CollectionName("Add", reserved: reserved) }
        #expect(throws: SlugError.shape) { try CollectionName("x.json", reserved: reserved) }
        #expect(throws: SlugError.self) { try CollectionName("a/b", reserved: reserved) }
        #expect(CollectionName(path: "courses")?.text == "courses")
        #expect(CollectionName(path: "a b") == nil && CollectionName(path: "") == nil)
    }
}
