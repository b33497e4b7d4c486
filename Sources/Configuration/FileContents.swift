// Small files read whole, with the system's reason where that fails.
internal import Glibc

/// Why a file could not be read, in the system's words.
struct FileProblem: Error, Equatable {
    let reason: String
}

/// The bytes of a file of at most `limit` bytes. Blocks.
func contents(ofFile path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileProblem(reason: systemReason()) }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
        // The pointer lives only for the call.
        let count = unsafe read(descriptor, &chunk, chunk.count)
        if count == 0 { return result }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw FileProblem(reason: systemReason()) }
        result += chunk[..<count]
        if result.count > limit { throw FileProblem(reason: "it is larger than \(limit) bytes") }
    }
}

/// strerror(3) for errno, with a small letter in front, to stand inside a sentence.
private func systemReason() -> String {
    let code = errno
    // The text is the library's and is copied before anything else can ask for one.
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    let reason = unsafe String(cString: text)
    return reason.prefix(1).lowercased() + reason.dropFirst()
}
