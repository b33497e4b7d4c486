// Unpacks content coded gzip (RFC 9110 §8.4.1.3, RFC 1952), piece by piece, through zlib. It must not unpack a byte more than it
// may keep: a few bytes can stand for gigabytes.
//
// Invariant: no more than the limit and one piece of scratch is ever unpacked and held.
internal import CZlib

/// One gzip content being read. Holds some 40 KiB (zlib's state and window) until it is gone; used by one thread at a time.
@safe struct GzipDecoder: ~Copyable {
    /// On the heap, because zlib's state points back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let limit: Int
    /// Whether the content may end here: nothing has come, or a member is complete.
    private(set) var isWhole = true

    /// `limit` counts unpacked bytes. Nil where there is no memory for it.
    init?(limit: Int) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // A window of 2^15 bytes, 16 more to take gzip's header and trailer and nothing else (zlib.h). The macro inflateInit2
        // passes version and size, but Swift cannot import it.
        let code = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
        unsafe self.stream = stream
        self.limit = limit
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// How many packed bytes content of `limit` bytes may take: what does not shrink grows by 5 bytes in 16 KiB (RFC 1951
    /// §3.2.4), and a header may hold a file's name. More is no content, only empty blocks and members.
    static func packedLimit(_ limit: Int) -> Int {
        let (sum, overflow) = limit.addingReportingOverflow(limit / 1024 + 1024)
        return overflow ? .max : sum
    }

    /// Unpacks `piece` and appends to `content`, which holds all that was unpacked before. Members may follow each other, as in
    /// any gzip file (RFC 1952 §2.2). Throws 400 for what is no gzip or damaged, behind a member too, and 413 at the first byte
    /// over the limit; nothing may follow then.
    mutating func decode(_ piece: Span<UInt8>, into content: inout [UInt8]) throws(RequestFault) {
        guard !piece.isEmpty else { return }
        // zlib reads the piece during this call only; next_in is not const in old headers, but never written.
        try unsafe piece.withUnsafeBufferPointer { (input) throws(RequestFault) in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(input.count)
            var mayHoldMore = true
            while unsafe stream.pointee.avail_in > 0 || mayHoldMore {
                mayHoldMore = try unpackSome(into: &content)
            }
        }
    }

    /// Makes one call of zlib; true where it filled its room and may have more to give.
    private mutating func unpackSome(into content: inout [UInt8]) throws(RequestFault) -> Bool {
        if isWhole {
            guard unsafe stream.pointee.avail_in > 0 else { return false }
            unsafe inflateReset(stream)
            isWhole = false
        }
        // One byte more than may come, to see that it does.
        let room = min(16 * 1024, limit - content.count) + 1
        var code = Z_OK
        let part = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            unsafe stream.pointee.next_out = output.baseAddress
            unsafe stream.pointee.avail_out = UInt32(room)
            code = unsafe inflate(stream, Z_NO_FLUSH)
            count = room - Int(unsafe stream.pointee.avail_out)
        }
        guard content.count + part.count <= limit else {
            throw RequestFault(.contentTooLarge, "The content is too large once it is unpacked.")
        }
        content += part
        switch code {
        case Z_STREAM_END: isWhole = true
        // zlib.h: Z_BUF_ERROR says that nothing could be done, which is no fault; more input may come.
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: throw RequestFault(.serviceUnavailable, "There is no memory to unpack the content.")
        default: throw RequestFault(.badRequest, "The content is no whole gzip.")
        }
        return part.count == room
    }
}
