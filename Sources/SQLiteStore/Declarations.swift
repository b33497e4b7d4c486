// Whether a file declares its tables, indexes, views and triggers as the steps that it has had do: a letter that goes bad in a
// declaration changes what SQLite refuses or finds, and no checking of pages or rows sees it.
internal import Shortening

extension Schema {
    /// What the file lacks of the steps that it has had, or declares otherwise; one line each. What it has beyond them is no fault.
    func problems(in connection: Connection) throws(StoreError) -> [String] {
        let lacking = try missing(in: connection).map(\.number)
        let sample = try Connection(":memory:", .create)
        for step in migrations where !lacking.contains(step.number) { try sample.execute(step.sql) }
        let found = Dictionary(try Self.declarations(in: connection).map { ($0.name, $0.text) }) { first, _ in first }
        return try Self.declarations(in: sample).compactMap { wanted in
            guard let text = found[wanted.name] else { return "the \(wanted.name) is missing" }
            return text == wanted.text ? nil : "the \(wanted.name) is not declared as it should be"
        }
    }

    /// As `table link`, with its SQL. Without white space and quotes, which SQLite sets anew when a table gets another name.
    private static func declarations(in connection: Connection) throws(StoreError) -> [(name: String, text: [UInt8])] {
        try connection.prepare(SQL.declarations).run { statement throws(StoreError) in
            var declarations: [(name: String, text: [UInt8])] = []
            while try statement.step() {
                let text = statement.text(1).utf8.filter { !" \n\t\"".utf8.contains($0) }
                declarations.append((statement.text(0), text))
            }
            return declarations
        }
    }
}
