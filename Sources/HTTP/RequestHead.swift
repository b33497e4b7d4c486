// What a request says before its content: the outcome of parsing, as numbers and places only.

/// How the end of a request's content is known (RFC 9112 §6.3).
package enum BodyFraming: Sendable, Equatable {
    case none
    /// Exactly this many bytes.
    case length(Int)
    case chunked
}

/// A parsed request head. Its ranges are offsets into the bytes that were parsed.
package struct RequestHead: Sendable {
    package var method = Method.other
    /// The target as it was sent, after the method.
    package var target = ByteRange.empty
    /// The target's path, from its first `/`; empty for `OPTIONS *` and for an absolute form without a path.
    package var path = ByteRange.empty
    /// What follows the first `?` of the target, without it.
    package var query = ByteRange.empty
    /// Whether there is a `%` in the target.
    package var hasPercent = false
    /// All header field lines, each with its CRLF.
    package var fields = ByteRange.empty
    /// The whole head, with the empty line that ends it and what was skipped before it.
    package var length = 0
    package var isHTTP10 = false
    package var framing = BodyFraming.none
    /// Whether the client wants the connection kept (RFC 9112 §9.3).
    package var keepsAlive = true
    /// `Expect: 100-continue` of an HTTP/1.1 request (RFC 9110 §10.1.1).
    package var expectsContinue = false
    /// An `Expect` that is not understood; answered with 417.
    package var hasUnknownExpectation = false

    package init() {}
}

/// Why a request cannot be read; the connection is closed after the answer, since where the next request begins is unknown.
package struct RequestFault: Error, Equatable, Sendable {
    package let status: Status
    /// For a person reading the answer.
    package let reason: StaticString

    init(_ status: Status, _ reason: StaticString) {
        self.status = status
        self.reason = reason
    }

    package static func == (left: RequestFault, right: RequestFault) -> Bool { left.status == right.status }
}
