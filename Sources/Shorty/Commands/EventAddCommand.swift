// `shorty event add`
internal import SQLiteStore
internal import Shortening

struct EventAddCommand: Subcommand {
    static let description = CommandDescription(
        path: ["event", "add"], summary: "Say when and where what a link is about takes place.",
        operands: [OperandDescription(name: "SLUG")],
        options: [
            OptionDescription(
                name: "start", placeholder: "DAY", isRequired: true, sentence: "The first day, like 2030-11-03."),
            OptionDescription(name: "end", placeholder: "DAY", sentence: "The last day; without it, the first one."),
            OptionDescription(name: "instructors", placeholder: "TEXT", sentence: "Who teaches, all in one text."),
            OptionDescription(name: "location", placeholder: "TEXT", sentence: "Where it is."),
            .config, .database,
        ],
        details: """
            Gives the link with this slug one more event. The listings of its collections show all events of a link by their \
            first day.
            """,
        examples: ["shorty event add talk --start 2030-11-03 --end 2030-11-07 --location Rome"])

    private let access: StoreAccess
    private let slug: String
    private let event: Event

    init(_ arguments: ParsedArguments) throws(CommandError) {
        access = StoreAccess(arguments, of: Self.description)
        slug = arguments.operands[0]
        let first = try Self.day(arguments, "start")
        let last = arguments.has("end") ? try Self.day(arguments, "end") : first
        do throws(EventError) {
            event = try Event(
                firstDay: first, lastDay: last, instructors: arguments.value("instructors") ?? "",
                location: arguments.value("location") ?? "")
        } catch {
            throw Self.description.usageError(error.message)
        }
    }

    private static func day(_ arguments: ParsedArguments, _ option: String) throws(CommandError) -> Day {
        guard let day = Day(arguments.value(option) ?? "") else {
            throw description.usageError("--\(option) must be a day of the calendar, like 2030-11-03.")
        }
        return day
    }

    func run(in surroundings: Surroundings) throws(CommandError) {
        let slug = try Slug(typed: slug)
        try access.use(surroundings, createsFile: false) { store, _ throws(CommandError) in
            let isAdded = try StoreAccess.asking { () throws(StoreError) in try store.addEvent(event, to: slug) }
            if !isAdded { throw slug.missing }
        }
    }
}
