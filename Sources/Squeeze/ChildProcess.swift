// Runs another program by posix_spawn(3). Foundation's `Process` will not do for clipboard programs: on Linux it takes a
// program for running as long as any child of it runs, and xclip leaves one behind to serve the clipboard.
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

enum ChildProcess {
    /// Some programs wait for a display that never answers.
    private static let patience = Duration.seconds(5)

    /// Runs a program with a text as its standard input, and waits for it for 5 s at most. What it prints is dropped: with
    /// our output in the hands of a child that stays behind, whoever reads that would wait for it.
    ///
    /// True where it ended with 0.
    static func run(_ executable: String, _ arguments: [String], input: String) -> Bool {
        // A file and not a pipe: a program that does not read could keep us waiting, or end us by SIGPIPE.
        // Unsafe: the stream is closed once, after its last use; the descriptor goes with it.
        guard let file = unsafe tmpfile() else { return false }
        defer { unsafe fclose(file) }
        guard unsafe fputs(input, file) >= 0, unsafe fflush(file) == 0 else { return false }
        let descriptor = unsafe fileno(file)
        guard lseek(descriptor, 0, SEEK_SET) == 0, let child = spawn(executable, arguments, input: descriptor) else {
            return false
        }
        return waitForSuccess(of: child)
    }

    private static func spawn(_ executable: String, _ arguments: [String], input: Int32) -> pid_t? {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        // Unsafe: `actions` is made here and taken down on return; the strings live until the spawn has copied them.
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        guard unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0,
            unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0,
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0
        else { return nil }
        keepToOurselves()
        var words = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        return unsafe posix_spawn(&child, executable, &actions, nil, &words, environ) == 0 ? child : nil
    }

    /// Closes in programs to come what else is open here: a child that stays behind would hold on to locks and pipes that
    /// our own parent has left open.
    private static func keepToOurselves() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
            guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func waitForSuccess(of child: pid_t) -> Bool {
        let deadline = ContinuousClock.now + patience
        var status: Int32 = 0
        while true {
            // Unsafe: waitpid writes one number.
            let ended = unsafe waitpid(child, &status, WNOHANG)
            if ended == child { return status == 0 }
            if ended < 0 && errno != EINTR { return false }
            guard ContinuousClock.now < deadline else { break }
            usleep(10_000)
        }
        kill(child, SIGTERM)
        return false
    }
}
