// The two ways in which a command speaks: results on standard output, everything else on standard error.
internal import Glibc

/// Where a command writes. Any thread; lines of one thread stay in order.
struct Console: Sendable {
    /// Results; nothing else, so that they can be piped.
    var output: Int32 = 1
    var errors: Int32 = 2

    /// Whether a person sees both.
    var isTerminal: Bool { isatty(output) == 1 && isatty(errors) == 1 }

    /// Writes a result. Fails where the text does not arrive: a full disk must not look like success.
    func write(_ text: String) throws(CommandError) {
        guard send(text, to: output) else {
            let reason = unsafe String(cString: strerror(errno))
            throw .failure("The result cannot be written to standard output: \(reason).")
        }
    }

    /// Writes a line for the person; where that fails there is nobody to tell.
    func complain(_ line: String) { _ = send(line + "\n", to: errors) }

    /// Writes to the person's terminal without ending the line.
    func draw(_ text: String) { _ = send(text, to: errors) }

    private func send(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // The pointer lives only for the call.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
        }
        return true
    }
}
