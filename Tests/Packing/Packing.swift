// Packs content by zlib itself, as clients do.
internal import CZlib

/// One whole gzip member of `bytes`. Level 0 stores, 9 packs best. With the least memory it packs worse, and is made as quickly as
/// it is read.
package func gzip(_ bytes: [UInt8], level: Int32 = 6, leastMemory: Bool = false) -> [UInt8] {
    let (window, memory): (Int32, Int32) = leastMemory ? (9, 1) : (15, 8)
    var input = bytes
    var stream = unsafe z_stream()
    unsafe deflateInit2_(
        &stream, level, Z_DEFLATED, window + 16, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
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

package func gzip(_ text: String) -> [UInt8] { gzip(Array(text.utf8)) }
