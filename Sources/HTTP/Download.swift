// A streamed answer on its way out.

struct Download {
    let source: any BodySource
    /// Chunked for HTTP/1.1; ended by closing for HTTP/1.0.
    let isChunked: Bool

    /// Writes a piece in its framing (RFC 9112 §7.1). An empty one writes nothing: an empty chunk would end the content.
    func write(_ piece: [UInt8], to output: inout OutputBuffer) {
        guard !piece.isEmpty else { return }
        if isChunked {
            output.append(hexadecimal: piece.count)
            output.append("\r\n")
        }
        output.append(piece)
        if isChunked { output.append("\r\n") }
    }
}
