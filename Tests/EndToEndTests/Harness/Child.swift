// A process that a test started: its output goes to files, it is signalled and waited for by its number, and it does not
// outlive its test.
internal import Foundation
internal import Glibc
internal import Testing

/// How a process ended.
enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
}

/// Why a test cannot go on.
struct Trouble: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A running or ended process. One thread at a time.
@safe final class Child {
    let pid: pid_t
    private let outputFile: String
    private let errorFile: String
    private var ending: Ending?

    /// Starts `words[0]` (an absolute path) in `folder`, with nothing but `environment`, signals as a fresh login has them,
    /// and standard output and error in files of that folder, or on the terminal `terminal`.
    init(
        _ words: [String], environment: [String: String], folder: String, terminal: String? = nil
    ) throws {
        let mark = UUID().uuidString
        outputFile = terminal ?? "\(folder)/\(mark).out"
        errorFile = terminal ?? "\(folder)/\(mark).err"
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let create = O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, outputFile, create, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errorFile, create, 0o600)
        // Other tests of this process may have opened descriptors without a care for children. Those not open do no harm.
        for descriptor: Int32 in 3..<512 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The testing process's own threads block and ignore signals; a daemon is not started so.
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // env(1) changes the folder, which posix_spawn(3) cannot in what Swift sees of it, and becomes the program.
        // setpriv(1), where there is one, has the kernel end it with the thread that started it, should the tests be killed.
        let tied = Program.find("setpriv").map { [$0, "--pdeathsig", "KILL", "--"] } ?? []
        let words = ["/usr/bin/env", "-C", folder] + tied + words
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            // Made by strdup above.
            unsafe arguments.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var started: pid_t = 0
        let code = unsafe posix_spawn(&started, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw Trouble("\(words) cannot be started: \(unsafe String(cString: strerror(code)))") }
        pid = started
    }

    deinit { end() }

    /// Kills it, unless it has ended.
    func end() {
        guard poll() == nil else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        ending = .signal(SIGKILL)
    }

    /// What it wrote to standard output so far.
    var output: String { Self.read(outputFile) }
    /// What it wrote to standard error so far.
    var errors: String { Self.read(errorFile) }

    /// Sends it a signal, unless it has ended.
    func send(_ signal: Int32) {
        if poll() == nil { kill(pid, signal) }
    }

    /// Waits for its end. Throws when it lasts longer.
    func wait(within limit: Duration = .seconds(20)) throws -> Ending {
        try eventually(within: limit, "the end of process \(pid); it said: \(errors)") { poll() }
    }

    /// How it ended, or nil while it runs.
    func poll() -> Ending? {
        if let ending { return ending }
        var status: Int32 = 0
        guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
        let signal = status & 0x7f  // waitpid(2): the low seven bits are the signal, the next byte the code
        ending = signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
        return ending
    }

    private static func read(_ file: String) -> String {
        String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }
}

/// Asks again and again until there is an answer; throws when there is none in time.
func eventually<Value>(
    within limit: Duration = .seconds(20), _ what: @autoclosure () -> String, _ question: () throws -> Value?
) throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        if let answer = try question() { return answer }
        guard ContinuousClock.now < deadline else { throw Trouble("waited \(limit) in vain for \(what())") }
        usleep(3_000)
    }
}
