// An import from its first byte to its last link: read and check every row, sort, and store in short transactions.
//
//   reading ──► sealed ──► (strict: compared) ──► storing ──► done
//      │           │              │                  ╎ strict
//      └───────────┴──────────────┴╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┴╌╌► stopped: nothing was stored
//
// Nothing is stored before everything was read: so a broken file leaves no trace, and the links go into the index in its order. A bad
// row is told and skipped; a strict import stores all in one transaction or nothing.
package import Shortening
internal import Telemetry

/// The two languages of imports and exports.
package enum TransferFormat: String, CaseIterable, Sendable {
    case csv
    case jsonl
}

/// How an import is to be done.
package struct ImportPlan: Sendable {
    package var format: TransferFormat
    /// Store nothing where a row is not good, or all in one transaction, during which nobody else can store anything.
    package var isStrict = false
    package var rules: ShorteningRules
    /// When links were made that do not say it, in seconds since 1970.
    package var now: Int64
    /// A folder with room, for what does not fit into memory.
    package var scratch: String

    package init(format: TransferFormat, rules: ShorteningRules, now: Int64, scratch: String) {
        self.format = format
        self.rules = rules
        self.now = now
        self.scratch = scratch
    }
}

/// What became of an import's rows.
package struct ImportSummary: Equatable, Sendable {
    package var added = 0
    /// In the store already, with the same URL.
    package var alreadyThere = 0
    /// In the input twice, with the same URL.
    package var repeated = 0
    /// Not stored: wrong in themselves, or with a slug that leads elsewhere.
    package var bad = 0
    /// Columns or keys that nobody knows and that were left out.
    package var unknownNames: [String] = []

    package init() {}
}

/// How far an import has come.
package enum ImportProgress: Equatable, Sendable {
    /// Bytes read, and of how many where that is known.
    case reading(Int, of: Int?)
    case comparing(Int, of: Int)
    case storing(Int, of: Int)
}

/// One import. Confined to one thread; everything blocks.
package struct ImportRun {
    /// How long a transaction keeps other writers waiting; with its commit and a slow disk that stays well under a second.
    private static let turn = Duration.milliseconds(250)
    /// Bytes read at once.
    private static let chunkSize = 1 << 18
    /// Links handed to the store at once.
    private static let portion = 1024
    /// Fewer links are stored in the input's order, which lists then show: sorting them would gain nothing.
    private static let smallImport = 10_000

    /// What has become of the rows so far; also true after an error.
    package private(set) var summary = ImportSummary()
    /// For tests: how much is sorted at once.
    var limit = SpoolPart.Limit()

    private let plan: ImportPlan
    private let intake: RowIntake
    private let store: any BulkStore
    private let report: (_ line: Int, _ reason: String) -> Void
    private let progress: (ImportProgress) -> Void

    /// `report` is told of each row that was not stored, with the line that it begins in; `progress` is called often.
    package init(
        _ plan: ImportPlan, into store: any BulkStore, report: @escaping (_ line: Int, _ reason: String) -> Void,
        progress: @escaping (ImportProgress) -> Void = { _ in }
    ) {
        self.plan = plan
        intake = RowIntake(check: LinkCheck(plan.rules), now: plan.now)
        self.store = store
        self.report = report
        self.progress = progress
    }

    /// Imports everything in `input`.
    package mutating func run(_ input: InputFile) throws(TransferError) {
        var spool = LinkSpool(folder: plan.scratch, limit: limit)
        switch plan.format {
        case .csv:
            var reader = CSVReader()
            try read(input, with: &reader, into: &spool)
        case .jsonl:
            var reader = JSONLinesReader()
            try read(input, with: &reader, into: &spool)
        }
        try spool.seal()
        if plan.isStrict {
            try compare(spool)
            if summary.bad > 0 || !summary.unknownNames.isEmpty {
                throw .refused(rows: summary.bad, unknownNames: summary.unknownNames)
            }
        }
        try store(spool)
    }

    // MARK: Reading

    private mutating func read<Reader: RowReader>(
        _ input: InputFile, with reader: inout Reader, into spool: inout LinkSpool
    ) throws(TransferError) {
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        var total = 0
        while true {
            let count = try input.read(into: &chunk)
            if count == 0 { break }
            var position = 0
            while try take(reader.next(in: chunk, from: &position, to: count), reader, into: &spool) {}
            total += count
            progress(.reading(total, of: input.size))
        }
        while try take(reader.finish(), reader, into: &spool) {}
        summary.unknownNames = reader.unknownNames
    }

    /// Does with a row what is to be done; false where there was none.
    private mutating func take<Reader: RowReader>(
        _ step: RowStep, _ reader: Reader, into spool: inout LinkSpool
    ) throws(TransferError) -> Bool {
        switch step {
        case .more, .end: return false
        case .bad(let reason): refuse(reader.fields.line, reason)
        case .row:
            try spool.makeRoom()
            do throws(RowProblem) {
                try spool.append { links throws(RowProblem) in try intake.take(reader.fields, reader.text, to: &links) }
            } catch {
                refuse(reader.fields.line, error.reason)
            }
        }
        return true
    }

    private mutating func refuse(_ line: Int, _ reason: String) {
        summary.bad += 1
        report(line, reason)
    }

    // MARK: Comparing

    /// Looks for links that the store would not take, without storing any.
    private mutating func compare(_ spool: borrowing LinkSpool) throws(TransferError) {
        let feed = LinkFeed(spool.stream(), portion: Self.portion)
        var links = PackedLinks()
        var last = PackedLinks()
        var done = 0
        repeat {
            try feed.next(&links)
            let outcomes: [BulkOutcome]
            do throws(StoreError) { outcomes = try store.outcomes(of: links) } catch { throw .store(error) }
            for (index, start) in links.starts.enumerated() {
                let link = PackedLink(at: links.bytes.span.extracting(start...))
                if case .taken = outcomes[index] {
                    refuseTaken(link.row, link.slug.text)
                } else if !last.isEmpty, Self.contradicts(link, PackedLink(at: last.bytes.span)) {
                    refuse(link.row, "The slug \"\(link.slug.text)\" stands in an earlier row with another URL.")
                }
                last.removeAll()
                last.append(links.bytes[start..<(start + link.bytes.count)])
            }
            done += links.count
            progress(.comparing(done, of: spool.count))
        } while !links.isEmpty
    }

    private static func contradicts(_ link: borrowing PackedLink, _ earlier: borrowing PackedLink) -> Bool {
        !link.isCollection && link.slug.order(beside: earlier.slug) == 0
            && link.longURL.order(beside: earlier.longURL) != 0
    }

    // MARK: Storing

    private mutating func store(_ spool: borrowing LinkSpool) throws(TransferError) {
        let isSmall = spool.isInMemory && spool.count < Self.smallImport
        let feed = LinkFeed(spool.stream(inInputOrder: isSmall), portion: Self.portion)
        var done = 0
        var isAtEnd = false
        var failure: TransferError?
        while !isAtEnd {
            let counts: BulkCounts
            do throws(StoreError) {
                counts = try store.add(within: plan.isStrict ? .seconds(Int64.max) : Self.turn) { links in
                    do throws(TransferError) { try feed.next(&links) } catch { failure = error }
                    done += links.count
                    isAtEnd = links.isEmpty
                    if plan.isStrict { progress(.storing(done, of: spool.count)) }
                    return !plan.isStrict || failure == nil && summary.bad == 0
                } refuse: { row, slug, outcome in
                    if case .repeated = outcome {
                        summary.repeated += 1
                        report(
                            row,
                            "The slug \"\(slug)\" was added with the same URL just before, by an earlier row or another program."
                        )
                    } else {
                        refuseTaken(row, slug)
                    }
                }
            } catch {
                throw .store(error)
            }
            summary.added += counts.added
            summary.alreadyThere += counts.alreadyThere
            if let failure { throw failure }
            // Somebody has taken a slug since they were compared.
            if plan.isStrict, summary.bad > 0 { throw .refused(rows: summary.bad, unknownNames: []) }
            progress(.storing(done, of: spool.count))
        }
    }

    private mutating func refuseTaken(_ row: Int, _ slug: String) {
        refuse(row, AddError.taken(Slug(stored: slug)).message)
    }
}
