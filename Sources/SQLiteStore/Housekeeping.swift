// What the daemon's writer does beside writing: looking for other processes' commits and after its files every 80 ms,
// and folding clicks once a minute. Both run on the writer's queue and give way to changes.
internal import Glibc
internal import Dispatch
internal import Shortening
internal import Telemetry

/// Keeps a daemon's store fresh and small until it is cancelled. Any thread.
final class Housekeeping: @unchecked Sendable {
    // Sendable by hand: `seen` and `fold` are touched on the writer's queue only; timers are safe from any thread.
    private let writer: Writer
    private let files: OpenFiles
    private let generations: Generations
    private let watch: any DispatchSourceTimer
    private let folding: any DispatchSourceTimer
    private let displacement: Trouble
    private var seen: Int64
    private var fold: ClickFold?

    /// `seen` is the commits' number from before anything was read from the store.
    init(
        _ writer: Writer, files: OpenFiles, generations: Generations, seen: Int64, options: SQLiteStore.Options
    ) {
        self.writer = writer
        self.files = files
        displacement = Trouble(in: .files, calm: 0, options.onTrouble)
        let foldInterval = options.foldInterval
        self.generations = generations
        self.seen = seen
        watch = DispatchSource.makeTimerSource(queue: writer.queue)
        folding = DispatchSource.makeTimerSource(queue: writer.queue)
        // A change by a command is to be served within 200 ms; a look every 25 ms would cost the loop on the same core up to 1 %.
        watch.schedule(deadline: .now(), repeating: .milliseconds(80), leeway: .milliseconds(20))
        watch.setEventHandler { [weak self] in self?.look() }
        folding.schedule(deadline: .now() + .seconds(foldInterval), repeating: .seconds(foldInterval), leeway: .seconds(1))
        folding.setEventHandler { [weak self] in self?.beginFolding() }
        watch.activate()
        folding.activate()
    }

    deinit { cancel() }

    /// No look or slice begins after this; one on its way ends before the writer's queue goes on.
    func cancel() {
        watch.cancel()
        folding.cancel()
    }

    /// Folds all there is, in one go, waiting for locks up to `deadline`. On the writer's queue, at the end. What fails stays
    /// for the next start.
    func foldAll(_ session: WriteSession, until deadline: Deadline) {
        fold = nil
        while !deadline.isOver {
            do throws(StoreError) {
                guard let fold = try ClickFold(session) else { return }
                while try !fold.step() {}
            } catch .busy {
                usleep(10_000)
            } catch {
                return
            }
        }
    }

    private func look() {
        lookAfterFiles()
        // A failing look changes nothing: the next one is near.
        guard let now = try? writer.housekeepingSession?.foreignCommits(), now != seen else { return }
        seen = now
        generations.advanceAll()
    }

    private func lookAfterFiles() {
        do throws(StoreError) {
            try files.checkLength()
            displacement.passed()
        } catch {
            displacement.met(error)
        }
    }

    private func beginFolding() {
        if fold == nil { foldSome() }
    }

    /// One slice, and then the next after whatever waits for the queue. A busy or failing store is left until the next time.
    private func foldSome() {
        guard let session = writer.housekeepingSession, !displacement.isThere else { return fold = nil }
        do throws(StoreError) {
            if fold == nil { fold = try ClickFold(session) }
            guard let current = fold else { return }
            if try current.step() { fold = nil }
            writer.workOffLog()
            // Also after the last slice: more batches may be waiting than one folding takes.
            writer.queue.async { [weak self] in self?.foldSome() }
        } catch {
            fold = nil
        }
    }
}
