// Response status codes (RFC 9110 §15) with their reason phrases.

/// A status code.
package struct Status: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(_ code: UInt16) { rawValue = code }

    package static let ok = Status(200)
    package static let created = Status(201)
    package static let noContent = Status(204)
    package static let movedPermanently = Status(301)
    package static let found = Status(302)
    package static let notModified = Status(304)
    package static let temporaryRedirect = Status(307)
    package static let permanentRedirect = Status(308)
    package static let badRequest = Status(400)
    package static let unauthorized = Status(401)
    package static let forbidden = Status(403)
    package static let notFound = Status(404)
    package static let methodNotAllowed = Status(405)
    package static let requestTimeout = Status(408)
    package static let conflict = Status(409)
    package static let gone = Status(410)
    package static let contentTooLarge = Status(413)
    package static let uriTooLong = Status(414)
    package static let unsupportedMediaType = Status(415)
    package static let expectationFailed = Status(417)
    package static let unprocessableContent = Status(422)
    package static let tooManyRequests = Status(429)
    package static let requestHeaderFieldsTooLarge = Status(431)
    package static let internalServerError = Status(500)
    package static let notImplemented = Status(501)
    package static let serviceUnavailable = Status(503)
    package static let versionNotSupported = Status(505)
    package static let insufficientStorage = Status(507)

    /// Whether an answer may have content (RFC 9110 §6.4.1); a client would read it as the beginning of the next answer.
    var allowsContent: Bool { self != .noContent && self != .notModified }

    /// The reason phrase; empty for a code that the server never sends.
    package var reason: StaticString { Self.reasons[self] ?? "" }

    private static let reasons: [Status: StaticString] = [
        .ok: "OK", .created: "Created", .noContent: "No Content", .movedPermanently: "Moved Permanently", .found: "Found",
        .notModified: "Not Modified", .temporaryRedirect: "Temporary Redirect", .permanentRedirect: "Permanent Redirect",
        .badRequest: "Bad Request", .unauthorized: "Unauthorized", .forbidden: "Forbidden", .notFound: "Not Found",
        .methodNotAllowed: "Method Not Allowed", .requestTimeout: "Request Timeout", .conflict: "Conflict", .gone: "Gone",
        .contentTooLarge: "Content Too Large", .uriTooLong: "URI Too Long",
        .unsupportedMediaType: "Unsupported Media Type", .expectationFailed: "Expectation Failed",
        .unprocessableContent: "Unprocessable Content", .tooManyRequests: "Too Many Requests",
        .requestHeaderFieldsTooLarge: "Request Header Fields Too Large", .internalServerError: "Internal Server Error",
        .notImplemented: "Not Implemented", .serviceUnavailable: "Service Unavailable",
        .versionNotSupported: "HTTP Version Not Supported", .insufficientStorage: "Insufficient Storage",
    ]
}
