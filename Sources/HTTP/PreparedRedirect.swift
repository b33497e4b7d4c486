// The fixed part of every redirect, made once, so that an answer from the cache is three copies and no formatting.

/// A redirect that lacks only its Location and Date.
package struct PreparedRedirect: Sendable {
    let beforeLocation: [UInt8]
    let status: Int

    /// `status` is one of 301, 302, 307, 308; `cacheControl` is the field's value, empty for none.
    package init(status: Status, cacheControl: String) {
        var output = OutputBuffer(capacity: 128)
        output.append("HTTP/1.1 ")
        output.append(decimal: Int(status.rawValue))
        output.append(" ")
        output.append(status.reason)
        output.append("\r\n")
        if !cacheControl.isEmpty {
            output.append("Cache-Control: ")
            output.append(fieldValue: cacheControl)
            output.append("\r\n")
        }
        output.append("Content-Length: 0\r\nLocation: ")
        beforeLocation = output.bytes
        self.status = Int(status.rawValue)
    }
}
