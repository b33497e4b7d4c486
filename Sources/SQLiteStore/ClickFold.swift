// Moves visits from `click_batch` into `click`, in slices so small that an add between two of them waits a few milliseconds.
// After each slice the store says how far it has come (`click_fold`), so a cut anywhere counts nothing twice.
//
//   through = 0: no folding under way; all batches count for readers
//   through = T, below = L: in batches up to T, links under L are in `click` already; readers skip them there
internal import Shortening

/// One folding of some batches. Confined to the writer's queue.
final class ClickFold {
    /// Links in one transaction: 2 to 3 ms of work.
    private static let slice = 2000
    /// Batches in one folding; a minute's, so that a link visited every second is written once.
    private static let batchLimit: Int64 = 64

    private let session: WriteSession
    private var cursors: [ClickCursor]
    private let through: Int64
    private var progress: Progress

    private struct Progress: Equatable {
        var through: Int64
        var below: Int64
    }

    /// Begins with the oldest batches, or where an earlier folding was cut; nil where there is nothing to fold.
    init?(_ session: WriteSession) throws(StoreError) {
        self.session = session
        let progress = try session.connection.prepare(SQL.foldProgress).run { statement throws(StoreError) in
            _ = try statement.step()
            return Progress(through: statement.integer(0), below: statement.integer(1))
        }
        let isResumed = progress.through > 0
        var last: Int64 = 0
        var cursors: [ClickCursor] = []
        try session.connection.prepare(SQL.clickBatchesForFolding).run { statement throws(StoreError) in
            try statement.bind(1, isResumed ? progress.through : Int64.max)
            try statement.bind(2, isResumed ? Int64.max : Self.batchLimit)
            while try statement.step() {
                last = statement.integer(0)
                var cursor = ClickCursor(statement.bytes(1))
                while let link = cursor.current?.link, link < progress.below { cursor.advance() }
                cursors.append(cursor)
            }
        }
        guard last > 0 else { return nil }
        self.cursors = cursors
        through = isResumed ? progress.through : last
        self.progress = progress
    }

    /// Writes one slice in a transaction; true when the folding is complete. After an error nothing of the slice is stored
    /// and the folding has to begin anew.
    func step() throws(StoreError) -> Bool {
        let visits = nextSlice()
        let isLast = cursors.allSatisfy { $0.current == nil }
        let next =
            isLast ? Progress(through: 0, below: 0) : Progress(through: through, below: (visits.last?.link ?? 0) + 1)
        try session.transaction { () throws(StoreError) in
            try setProgress(next)
            let add = try session.connection.prepare(SQL.addClicks)
            for (link, count) in visits {
                try add.run { statement throws(StoreError) in
                    try statement.bind(1, link)
                    try statement.bind(2, count)
                    _ = try statement.step()
                }
            }
            if isLast {
                try session.connection.prepare(SQL.deleteClickBatches).run { statement throws(StoreError) in
                    try statement.bind(1, through)
                    _ = try statement.step()
                }
            }
        }
        progress = next
        return isLast
    }

    /// The lowest links of all batches with their sums.
    private func nextSlice() -> [(link: Int64, visits: Int64)] {
        var slice: [(link: Int64, visits: Int64)] = []
        while slice.count < Self.slice, let link = lowestLink {
            var sum: Int64 = 0
            for index in cursors.indices {
                guard let pair = cursors[index].current, pair.link == link else { continue }
                sum &+= pair.visits
                cursors[index].advance()
            }
            slice.append((link, sum))
        }
        return slice
    }

    /// Where the cursor furthest behind stands. A loop over some sixty of them, cheap beside the row it leads to.
    private var lowestLink: Int64? {
        var lowest: Int64?
        for index in cursors.indices {
            if let link = cursors[index].current?.link, link < lowest ?? Int64.max { lowest = link }
        }
        return lowest
    }

    /// Refuses to go on where somebody else has folded meanwhile.
    private func setProgress(_ next: Progress) throws(StoreError) {
        try session.connection.prepare(SQL.setFoldProgress).run { statement throws(StoreError) in
            try statement.bind(1, next.through)
            try statement.bind(2, next.below)
            try statement.bind(3, progress.through)
            try statement.bind(4, progress.below)
            _ = try statement.step()
        }
        guard session.connection.changes == 1 else { throw .failed("another process is folding clicks") }
    }
}
