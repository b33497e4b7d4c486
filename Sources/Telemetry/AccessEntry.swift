// One line of the access log. The target can be given only redacted.

/// What is told of one answered request.
package struct AccessEntry: Sendable {
    /// The peer's address as text.
    package let client: String
    /// As it was sent; may hold anything.
    package let method: [UInt8]
    package let target: RedactedTarget
    package let status: Int
    /// Bytes of the answer's body.
    package let bytes: Int
    /// From the head's last byte to the answer's last.
    package let microseconds: Int

    package init(client: String, method: [UInt8], target: RedactedTarget, status: Int, bytes: Int, microseconds: Int) {
        self.client = client
        self.method = method
        self.target = target
        self.status = status
        self.bytes = bytes
        self.microseconds = microseconds
    }

    var fields: LogFields {
        [
            "client": .text(client), "method": .bytes(method), "target": .bytes(target.bytes), "status": .number(status),
            "bytes": .number(bytes), "microseconds": .number(microseconds),
        ]
    }
}
