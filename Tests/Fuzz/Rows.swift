// Imports: CSV and JSON lines. However a file is cut into pieces its rows are the same, and what is written is read as it was.
@testable import Shortening
@testable import Transfer

func fuzzCSV(_ bytes: [UInt8]) { fuzz(CSVReader(), bytes) }

func fuzzJSONLines(_ bytes: [UInt8]) { fuzz(JSONLinesReader(), bytes) }

private let check = LinkCheck(
    ShorteningRules(
        reserved: ReservedNames(["static"]), generator: SlugGenerator(length: 6, reserved: ReservedNames([])),
        publicURL: "https://s.example"))

private func fuzz(_ reader: some RowReader, _ bytes: [UInt8]) {
    let (whole, links) = read(reader, bytes)
    var choices = Choices(of: bytes)
    for size in [bytes.count < 256 ? 1 : 16, 40] {
        let cut = read(reader, bytes, choices.cuts(of: bytes.count, upTo: size)).told
        claim(cut == whole, "in pieces of up to \(size) bytes: \(cut), at once: \(whole)")
    }
    if links.isEmpty { return }

    let lines = inLines(links)
    let again = read(JSONLinesReader(), lines).links
    // Equal texts may differ in their bytes.
    claim(again == links && inLines(again) == lines, "as JSON lines they come back otherwise: \(links)")

    var table = CSVWriter.header
    for link in links { CSVWriter.append(link, to: &table) }
    let rows = read(CSVReader(), table).links
    claim(inLines(rows) == inLines(links.map(inColumns)), "as CSV they come back otherwise: \(links)")
}

private func inLines(_ links: [LinkRecord]) -> [UInt8] {
    var lines: [UInt8] = []
    for link in links { JSONLineWriter.append(link, to: &lines) }
    return lines
}

/// What there are columns for.
private func inColumns(_ link: LinkRecord) -> LinkRecord {
    var row = LinkRecord(slug: link.slug, longURL: link.longURL, created: link.created)
    row.title = link.title?.isEmpty == true ? nil : link.title
    (row.tags, row.clicks, row.isListed) = (link.tags, link.clicks, link.isListed)
    row.memberships = link.memberships.map { LinkRecord.Membership(collection: $0.collection, position: nil) }
    return row
}

/// A row as a reader tells it.
private struct Row: Equatable {
    var line = 0
    /// What is wrong with it, or with all that follows.
    var reason = ""
    var text: [UInt8] = []
    var places: [Range<Int>?] = []
    var numbers: [Int64?] = []

    init(reason: String, line: Int = 0) {
        (self.reason, self.line) = (reason, line)
        // It is shown on a terminal.
        claim(!reason.isEmpty && !reason.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "a reason holds a control: \(reason)")
    }

    init(_ fields: LinkFields, _ text: [UInt8]) {
        (line, self.text) = (fields.line, text)
        places = [fields.slug, fields.longURL, fields.title, fields.description, fields.owner] + fields.tags
        places += fields.memberships.map(\.name)
        for event in fields.events { places += [event.0, event.1, event.2, event.3] }
        numbers = [fields.created, fields.clicks, fields.expires, fields.removed] + fields.memberships.map(\.position)
        numbers += [fields.isCollection, fields.isListed, fields.isSqueezed].map { $0 ? 1 : 0 }
    }
}

/// Every row, and those of the rows that are links.
private func read(_ reader: some RowReader, _ bytes: [UInt8], _ cuts: [Int]? = nil) -> (told: [Row], links: [LinkRecord]) {
    var reader = reader
    var (told, links): ([Row], [LinkRecord]) = ([], [])
    func take(_ step: RowStep) -> Bool {
        switch step {
        case .more, .end: return false
        case .bad(let reason):
            claim(reader.fields.line > 0, "a bad row has no line")
            told.append(Row(reason: reason, line: reader.fields.line))
        case .row:
            told.append(Row(reader.fields, reader.text))
            if let link = link(reader.fields, reader.text) { links.append(link) }
        }
        return true
    }
    do throws(TransferError) {
        var position = 0
        for end in cuts ?? [bytes.count] {
            while take(try reader.next(in: bytes, from: &position, to: end)) {}
            claim(position == end, "a piece is not read to its end")
        }
        while take(try reader.finish()) {}
        claim(try reader.finish() == .end, "there is more behind the end")
    } catch {
        told.append(Row(reason: error.message))
    }
    return (told, links)
}

/// The link that a row is, where an import would take it.
private func link(_ fields: LinkFields, _ text: [UInt8]) -> LinkRecord? {
    var packed = PackedLinks()
    let intake = RowIntake(check: check, now: 1)
    do throws(RowProblem) {
        try intake.take(fields, text, to: &packed)
    } catch {
        claim(packed.isEmpty && !error.reason.isEmpty, "a refused row left something")
        return nil
    }
    claim(packed.count == 1, "an accepted row is no link")
    let row = PackedLink(at: packed.bytes.span)
    if row.isCollection { return nil }
    var link = LinkRecord(
        slug: Slug(stored: row.slug.text), longURL: LongURL(stored: row.longURL.text), created: row.created)
    link.title = row.hasTitle ? row.title.text : nil
    (link.clicks, link.isListed) = (row.clicks, row.isListed)
    let details = row.details
    (link.owner, link.expires, link.removed) = (details.owner, details.expires, details.removed)
    (link.isSqueezed, link.description, link.tags) = (details.isSqueezed, details.description, details.tags)
    (link.memberships, link.events) = (details.memberships, details.events)
    return link
}
