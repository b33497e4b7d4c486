// The fixed part of every redirect, made once a second, so that an answer from the cache is three copies and no formatting.

/// A redirect that lacks only its Location. One a loop, on that loop's thread.
package final class PreparedRedirect: @unchecked Sendable {
    // Sendable by hand: it may be handed on with work for its loop, and is touched on that loop's thread only.
    let status: Int
    private let statusLine: [UInt8]
    private let fields: [UInt8]
    private var datedAt: Int64 = -1
    private var prepared = OutputBuffer(capacity: 256)

    /// `status` is one of 301, 302, 307, 308; `cacheControl` is the field's value, empty for none.
    package init(status: Status, cacheControl: String) {
        self.status = Int(status.rawValue)
        statusLine = Array("HTTP/1.1 \(status.rawValue) \(status.reason)\r\n".utf8)
        var output = OutputBuffer(capacity: 128)
        if !cacheControl.isEmpty {
            output.append("Cache-Control: ")
            output.append(fieldValue: cacheControl)
            output.append("\r\n")
        }
        output.append("Content-Length: 0\r\nLocation: ")
        fields = output.bytes.indices.map { output.bytes[$0] }
    }

    /// Writes everything up to the Location's value, and the value.
    func write(_ location: Span<UInt8>, _ date: borrowing DateField, to output: inout OutputBuffer) {
        if datedAt != date.second {
            datedAt = date.second
            prepared.removeAll()
            prepared.append(statusLine)
            prepared.append(date.line)
            prepared.append(fields)
        }
        output.append(prepared)
        output.append(location)
    }
}
