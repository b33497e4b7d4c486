// Keeps the certificates in force: reads them at the start, when their files change and when it is told to, and renews the
// ticket keys. A new handshake gets what is in force then; nothing here touches a connection.
internal import CLinux
internal import Dispatch
internal import Glibc
package import Telemetry

/// The certificates of a server. Any thread.
package final class CertificateWatch: Sendable {
    private let files: [CertificateFiles]
    private let minimumVersion: TLSVersion
    private let log: Log
    private let context: Lock<TLSContext>
    /// Where files are read, one reload after another.
    private let queue = DispatchQueue(label: "shorty.certificates")
    // Sendable by hand: it is made in `init` and cancelled in `deinit`, and Dispatch allows either on any thread.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private let memory: Lock<Memory>

    private struct Memory: Sendable {
        /// What the files in force looked like, and what they looked like at the last look.
        var inForce: [FileMark]
        var seen: [FileMark]
        var renewsAt: ContinuousClock.Instant
    }

    /// Reads and checks the files, of which there is at least one pair; blocks. The first is for clients that name no host, or
    /// one that no certificate is for. Throws the first problem.
    package init(
        _ files: [CertificateFiles], minimumVersion: TLSVersion, log: Log, lookEvery period: Duration = .seconds(2)
    ) throws(CertificateProblem) {
        self.files = files
        self.minimumVersion = minimumVersion
        self.log = log
        let marks = Self.marks(files)
        context = Lock(try Self.load(files, minimumVersion, log))
        memory = Lock(Memory(inForce: marks, seen: marks, renewsAt: .now + Self.renewal))
        unsafe timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = DispatchTimeInterval.nanoseconds(Int(clamping: period.nanoseconds))
        unsafe timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
        unsafe timer.setEventHandler { [weak self] in self?.look() }
        unsafe timer.activate()
    }

    deinit { unsafe timer.cancel() }

    /// What a handshake that begins now is to use.
    package var current: TLSContext { context.withLock { $0 } }

    /// Reads the files again, soon, whether they have changed or not. A file that cannot be used is logged, and what was in
    /// force stays.
    package func reload() {
        queue.async { [self] in reload(Self.marks(files), why: "asked to") }
    }

    /// Half a day: a stolen ticket key opens no older connections of TLS 1.2 (RFC 5077 §5.5), and few clients come back later.
    private static let renewal = Duration.seconds(12 * 3600)

    private func look() {
        let marks = Self.marks(files)
        let (isChanged, isDue) = memory.withLock { memory in
            defer { memory.seen = marks }
            // Two looks alike: whoever renews writes two files, and is not to be caught between them.
            return (marks != memory.inForce && marks == memory.seen, ContinuousClock.now >= memory.renewsAt)
        }
        if isChanged {
            reload(marks, why: "the files changed")
        } else if isDue {
            reload(marks, why: "ticket keys are renewed")
        }
    }

    private func reload(_ marks: [FileMark], why: String) {
        memory.withLock { memory in
            // Also where it fails: the same bad file is told of once.
            memory.inForce = marks
            memory.seen = marks
            memory.renewsAt = .now + Self.renewal
        }
        do throws(CertificateProblem) {
            let fresh = try Self.load(files, minimumVersion, log)
            context.withLock { $0 = fresh }
            log.info("certificates are read", ["reason": .text(why)])
        } catch {
            log.error("the certificates stay as they were: \(error.message)")
        }
    }

    private static func load(
        _ files: [CertificateFiles], _ minimumVersion: TLSVersion, _ log: Log
    ) throws(CertificateProblem) -> TLSContext {
        var certificates: [Certificate] = []
        for pair in files { certificates.append(try pair.load()) }
        for certificate in certificates { certificate.warnings.forEach { log.warning($0) } }
        return try TLSContext(certificates, minimumVersion: minimumVersion)
    }

    private static func marks(_ files: [CertificateFiles]) -> [FileMark] {
        files.flatMap { [FileMark($0.certificate), FileMark($0.key)] }
    }
}

/// What tells that a file was written or replaced. All zero where there is none.
private struct FileMark: Equatable, Sendable {
    private var device: UInt64 = 0
    private var inode: UInt64 = 0
    private var size: Int64 = 0
    private var seconds = 0
    private var nanoseconds = 0

    /// Follows links, as the renewing programs lay them.
    init(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
