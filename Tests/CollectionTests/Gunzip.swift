// Reads gzip by zlib itself, to see that what was written is whole.
import CZlib

/// The content of one whole gzip stream; nil where it is damaged or has no end.
func gunzip(_ bytes: [UInt8]) -> [UInt8]? {
    var input = bytes
    var stream = unsafe z_stream()
    guard unsafe inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
        return nil
    }
    defer { unsafe inflateEnd(&stream) }
    var content: [UInt8] = []
    var code = Z_OK
    unsafe input.withUnsafeMutableBufferPointer { buffer in
        unsafe stream.next_in = buffer.baseAddress
        unsafe stream.avail_in = UInt32(buffer.count)
        while code == Z_OK {
            let part = unsafe [UInt8](unsafeUninitializedCapacity: 65536) { output, count in
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = 65536
                code = unsafe inflate(&stream, Z_NO_FLUSH)
                count = 65536 - Int(unsafe stream.avail_out)
            }
            content += part
        }
    }
    return unsafe code == Z_STREAM_END && stream.avail_in == 0 ? content : nil
}
