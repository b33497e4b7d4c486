// Packs content by zlib itself, as clients do.
import CZlib

/// One whole gzip member of `bytes`, made with the least memory: making it must not take longer than reading it.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var input = bytes
    var stream = unsafe z_stream()
    unsafe deflateInit2_(
        &stream, 6, Z_DEFLATED, 9 + 16, 1, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { unsafe deflateEnd(&stream) }
    let room = Int(unsafe deflateBound(&stream, UInt(bytes.count)))
    // Both buffers are used during the call only.
    return unsafe input.withUnsafeMutableBufferPointer { source in
        unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            unsafe stream.next_in = source.baseAddress
            unsafe stream.avail_in = UInt32(source.count)
            unsafe stream.next_out = output.baseAddress
            unsafe stream.avail_out = UInt32(room)
            unsafe deflate(&stream, Z_FINISH)
            count = room - Int(unsafe stream.avail_out)
        }
    }
}
