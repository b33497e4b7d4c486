// Where an export goes: a descriptor, or a file that gets its name when it is whole, so that half an export is never taken for
// one.
internal import Glibc

/// An open output. Confined to one thread; writing blocks.
package final class OutputFile {
    /// For messages.
    package let name: String
    private let descriptor: Descriptor
    /// The name until it is whole; nil where nothing is to be renamed.
    private var unfinished: String?

    /// Writes to a descriptor that stays its owner's.
    package init(borrowing number: Int32, name: String) {
        self.name = name
        descriptor = Descriptor(borrowing: number)
    }

    /// Writes a file that only its owner may read, as the store is. Throws a sentence that names the file and the reason.
    package init(_ name: String) throws(TransferError) {
        self.name = name
        var facts = stat()
        let isThere = unsafe stat(name, &facts) == 0
        if isThere, facts.st_mode & S_IFMT != S_IFREG {
            // A device or a pipe; renaming would put a file in its place.
            descriptor = try Self.open(name, O_WRONLY, name)
            return
        }
        let unfinished = "\(name).\(getpid()).part"
        descriptor = try Self.open(unfinished, O_WRONLY | O_CREAT | O_EXCL, name)
        self.unfinished = unfinished
    }

    deinit {
        // Still there only where it was not finished.
        if let unfinished { unsafe unlink(unfinished) }
    }

    package func write(_ bytes: [UInt8]) throws(TransferError) {
        guard descriptor.write(bytes) else { throw .output("\(name) cannot be written: \(Descriptor.errorText).") }
    }

    /// Puts a file on the disk and gives it its name, replacing what had it.
    package func finish() throws(TransferError) {
        guard let unfinished else { return }
        guard fsync(descriptor.number) == 0, unsafe rename(unfinished, name) == 0 else {
            throw .output("\(name) cannot be finished: \(Descriptor.errorText).")
        }
        self.unfinished = nil
    }

    private static func open(_ path: String, _ flags: Int32, _ name: String) throws(TransferError) -> Descriptor {
        let number = unsafe Glibc.open(path, flags | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard number >= 0 else { throw .output("\(name) cannot be opened for writing: \(Descriptor.errorText).") }
        return Descriptor(owning: number)
    }
}
