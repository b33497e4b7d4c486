// What is imported: a file or standard input, read once from its beginning to its end.
internal import Glibc

/// An open input. Confined to one thread; reading blocks.
package struct InputFile {
    /// Its name for messages.
    package let name: String
    /// Bytes in it, where the system knows: a file has a size, a pipe has none.
    package let size: Int?
    private let descriptor: Descriptor

    /// Opens a file, or takes standard input for `-`. Throws a sentence that names the file and the reason.
    package init(_ name: String) throws(TransferError) {
        if name == "-" {
            self.init(borrowing: 0, name: "standard input")
            return
        }
        let number = unsafe open(name, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw .input("\(name) cannot be opened: \(Descriptor.errorText).") }
        self.init(Descriptor(owning: number), name: name)
    }

    /// Reads from a descriptor that stays its owner's.
    package init(borrowing number: Int32, name: String) { self.init(Descriptor(borrowing: number), name: name) }

    private init(_ descriptor: Descriptor, name: String) {
        self.name = name
        var facts = stat()
        let isFile = unsafe fstat(descriptor.number, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        size = isFile ? Int(facts.st_size) : nil
        self.descriptor = descriptor
    }

    /// Fills the buffer's beginning; the number of bytes, 0 at the end.
    func read(into buffer: inout [UInt8]) throws(TransferError) -> Int {
        guard let count = descriptor.read(into: &buffer) else {
            throw .input("\(name) cannot be read: \(Descriptor.errorText).")
        }
        return count
    }
}
