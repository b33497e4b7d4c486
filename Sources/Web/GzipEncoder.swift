// Content coding gzip (RFC 9110 §8.4.1.3), piece by piece, through zlib.
internal import CZlib

/// One gzip stream being written. Holds 256 KiB until it is gone; used by one thread at a time. The same pieces give the same
/// bytes: no time is written.
@safe struct GzipEncoder: ~Copyable {
    /// On the heap, because zlib's state points back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// nil where there is no memory for it.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // The default level; 16 is for gzip's own header and trailer (zlib.h). A window of 2^13 bytes and a memory level of 5 take
        // 48 KiB where the defaults take 256: listings repeat themselves within a line or two, and slow readers are many. The
        // macro deflateInit2 passes version and size, but Swift cannot import it.
        let code = unsafe deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 13 + 16, 5, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
        unsafe self.stream = stream
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// What can be sent of the stream once `piece` was added: often nothing, while zlib still gathers. `isLast` ends the
    /// stream; nothing may follow.
    mutating func encode(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
        var piece = piece
        var encoded: [UInt8] = []
        // zlib reads and writes both buffers during this call only; next_in is not const in old headers, but never written.
        unsafe piece.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            var isFull = true
            while isFull {
                let room = 16 * 1024
                let part = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(room)
                    unsafe deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    count = room - Int(unsafe stream.pointee.avail_out)
                }
                isFull = part.count == room
                encoded += part
            }
        }
        return encoded
    }
}
