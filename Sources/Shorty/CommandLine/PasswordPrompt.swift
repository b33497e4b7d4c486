// A password from whoever runs a command: typed twice and unseen on a terminal, else the first line of standard input. It must not
// come from the command line, where every user of the machine could read it.
internal import Glibc

/// Asks for a new password.
struct PasswordPrompt {
    let console: Console

    /// Bytes of a password at most. More than any client can send.
    private static let limit = 1024

    /// The password, at least one byte and without its line's end. Blocks until it is typed. A signal leaves the terminal as it
    /// was and ends in a failure.
    func newPassword(for name: String) throws(CommandError) -> [UInt8] {
        guard isatty(console.input) == 1 else { return try checked(line()) }
        let first = try checked(try typed("New password for \(name): "))
        guard first == (try typed("The same again: ")) else {
            throw .failure("The two passwords differ; nothing was changed.")
        }
        return first
    }

    private func checked(_ password: [UInt8]) throws(CommandError) -> [UInt8] {
        if password.isEmpty { throw .failure("The password is empty; nothing was changed.") }
        if password.count > Self.limit {
            throw .failure("The password is too long; at most \(Self.limit) bytes are allowed.")
        }
        // RFC 7617 §2: control characters have no place in it, and no terminal sends them on.
        if password.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            throw .failure("The password holds a control character; leave it out.")
        }
        return password
    }

    // MARK: Reading

    /// One line, typed without being shown.
    private func typed(_ question: String) throws(CommandError) -> [UInt8] {
        var standing = termios()
        // The pointers of these calls live only for them.
        guard unsafe tcgetattr(console.input, &standing) == 0 else {
            throw .failure("The terminal cannot be asked for a password; give it on standard input.")
        }
        var silent = standing
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL)
        let signals = Interruptions()
        defer { signals.end() }
        unsafe tcsetattr(console.input, TCSAFLUSH, &silent)
        defer { unsafe tcsetattr(console.input, TCSAFLUSH, &standing) }
        console.draw(question)
        return try line()
    }

    /// Bytes up to a line's end, without it, or to the end of the input.
    private func line() throws(CommandError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(console.input, &byte, 1)
            if count < 0 { throw .failure("No password was given; nothing was changed.") }
            if count == 0 || byte == UInt8(ascii: "\n") { break }
            // What is too long is refused later, but need not be kept.
            if bytes.count <= Self.limit + 1 { bytes.append(byte) }
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }
}

/// Lets the signals that end a program end a read(2) instead, so that the terminal can be put right first.
private struct Interruptions {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private let standing: [sigaction]

    init() {
        standing = Self.signals.map { signal in
            var (old, new) = (sigaction(), sigaction())
            // It does nothing; without SA_RESTART the read ends by its having been called (sigaction(2)).
            unsafe new.__sigaction_handler.sa_handler = { _ in }
            unsafe sigaction(signal, &new, &old)
            return old
        }
    }

    /// Puts back what was there before.
    func end() {
        for (index, signal) in Self.signals.enumerated() {
            var old = standing[index]
            unsafe sigaction(signal, &old, nil)
        }
    }
}
