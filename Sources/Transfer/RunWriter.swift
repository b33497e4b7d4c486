// Sorts parts and puts them aside as runs of a nameless file, on a queue of its own, so that reading the input goes on.
internal import Dispatch
internal import Glibc
internal import Shortening
internal import Telemetry

/// A sorted run of the file.
struct SpoolRun: Sendable {
    let start: Int
    let end: Int
}

/// Writes one part at a time. Used by one thread.
final class RunWriter: @unchecked Sendable {
    // Sendable by hand: `file` never changes, and its position and `length` are touched on the queue only, where one part
    // at a time is written.

    private struct State: Sendable {
        /// The last part's memory, to be filled again.
        var spare = SpoolPart()
        var runs: [SpoolRun] = []
        var failure: TransferError?
    }

    /// Bytes written at once.
    private static let outputSize = 1 << 18

    let file: Descriptor
    private let folder: String
    private var length = 0
    private let queue = DispatchQueue(label: "shorty.transfer.runs")
    private let isIdle = DispatchSemaphore(value: 1)
    private let state = Lock(State())

    /// Makes the file in `folder`, or throws a sentence that names it.
    init(folder: String) throws(TransferError) {
        self.folder = folder
        file = try Self.namelessFile(in: folder)
    }

    /// Puts a part aside and answers memory for the next one; waits for the part before it. Throws what went wrong with that.
    func putAside(_ part: consuming SpoolPart) throws(TransferError) -> SpoolPart {
        isIdle.wait()
        let (spare, failure) = state.withLock { state in
            defer { state.spare = SpoolPart() }
            return (state.spare, state.failure)
        }
        if let failure {
            isIdle.signal()
            throw failure
        }
        queue.async { [part] in
            self.write(part)
            self.isIdle.signal()
        }
        return spare
    }

    /// Waits for the last part; the runs in the order of the parts.
    func finish() throws(TransferError) -> [SpoolRun] {
        isIdle.wait()
        defer { isIdle.signal() }
        let (runs, failure) = state.withLock { state in
            state.spare = SpoolPart()
            return (state.runs, state.failure)
        }
        if let failure { throw failure }
        return runs
    }

    private func write(_ given: SpoolPart) {
        var part = given
        part.sort()
        var output: [UInt8] = []
        output.reserveCapacity(Self.outputSize)
        let start = length
        var isWritten = true
        for key in part.keys where isWritten {
            let first = Int(key.start)
            let size = PackedLink.length(part.links.bytes.span.extracting(first...))
            if output.count + size > Self.outputSize { isWritten = flush(&output) }
            output.append(contentsOf: part.links.bytes[first..<(first + size)])
        }
        isWritten = isWritten && flush(&output)
        let failure = TransferError.scratch(
            "Links cannot be put aside in \(folder) for sorting: \(Descriptor.errorText). Nothing was stored.")
        let run = SpoolRun(start: start, end: length)
        part.removeAll()
        state.withLock { [part] state in
            if isWritten { state.runs.append(run) } else { state.failure = failure }
            state.spare = part
        }
    }

    private func flush(_ output: inout [UInt8]) -> Bool {
        guard file.write(output) else { return false }
        length += output.count
        output.removeAll(keepingCapacity: true)
        return true
    }

    /// A file without a name, which is gone with its descriptor however the process ends (open(2), O_TMPFILE). Where the file
    /// system knows no such thing, one whose name is taken away at once.
    private static func namelessFile(in folder: String) throws(TransferError) -> Descriptor {
        // O_TMPFILE is a macro that Swift does not import: this bit and O_DIRECTORY.
        let nameless = 0o20_000_000 | O_DIRECTORY
        let number = unsafe open(folder, nameless | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR)
        if number >= 0 { return Descriptor(owning: number) }
        var template = Array((folder + "/shorty-import-XXXXXX").utf8CString)
        let named = unsafe mkstemp(&template)
        guard named >= 0 else {
            throw .scratch(
                "Links cannot be put aside in \(folder) for sorting: \(Descriptor.errorText). Nothing was stored.")
        }
        unsafe unlink(template)
        return Descriptor(owning: named)
    }
}
