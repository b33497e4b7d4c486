// An answer as a value, for everything that is not the hot path: it may cross threads, and knows nothing of a connection.

/// Content that is made piece by piece while the client reads. Never asked for a piece before the last one has left.
package protocol BodySource: AnyObject, Sendable {
    /// Makes the next piece on a thread of its own choice and hands it to `done`: nil at the end; a failure cuts the
    /// connection, so that nobody takes half an answer for a whole one. Called again only after `done`.
    func next(_ done: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void)
}

/// A response: status, fields and content. Date, Content-Length and Connection are added when it is written.
package struct Response: Sendable {
    /// What follows the fields.
    package enum Body: Sendable {
        case bytes([UInt8])
        case stream(any BodySource)
    }

    package var status: Status
    /// Names and values as they go out. No value may hold CR, LF or NUL; that is checked when it is written.
    package var fields: [(name: String, value: String)]
    package var body: Body
    /// Whether the connection is to be closed after it.
    package var closes = false

    package init(_ status: Status, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = .bytes(body)
    }

    package init(_ status: Status, type: String, _ text: String, fields: [(name: String, value: String)] = []) {
        self.init(status, fields: [("Content-Type", type)] + fields, body: Array(text.utf8))
    }

    package init(_ status: Status, type: String, content: Body, fields: [(name: String, value: String)] = []) {
        self.status = status
        self.fields = [("Content-Type", type)] + fields
        body = content
    }
}
