// A terminal without anybody in front of it (pty(7)).
internal import Foundation
internal import Glibc

/// One end of a terminal; the program under test gets the other. One thread at a time.
final class Terminal {
    let name: String
    private let master: Int32
    /// Kept open, so that the terminal outlives the programs on it.
    private let other: Int32

    init() throws {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        // openpty(3) writes at most PATH_MAX bytes.
        var name = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe openpty(&ours, &theirs, &name, nil, nil) == 0 else { throw Trouble("no terminal: errno \(errno)") }
        master = ours
        other = theirs
        self.name = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        close(master)
        close(other)
    }

    /// Reads until what was written since the last call is `enough`.
    func read(_ enough: (String) -> Bool) throws -> String {
        var text = ""
        let deadline = ContinuousClock.now + .seconds(60)
        while !enough(text) {
            var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard ContinuousClock.now < deadline else { throw Trouble("the terminal shows only: \(text)") }
            guard unsafe poll(&waiting, 1, 100) == 1 else { continue }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe Glibc.read(master, &chunk, chunk.count)
            if count > 0 { text += String(decoding: chunk.prefix(count), as: UTF8.self) } else { usleep(10_000) }
        }
        return text
    }
}
