// Everything that can go wrong with a request, and the words for it. No case may carry the account key.
public import Foundation

/// Why there is no short URL.
///
/// `localizedDescription` is one or two sentences for people: what was wrong and what to do. Texts inside the cases are
/// fit for showing: short, without control characters, without the account key.
public enum SqueezeError: Error, Equatable, Sendable {
    /// Not a text that can be sent: empty, or with control characters in it. Nothing was sent.
    case invalidLongURL(String)
    /// Not the address of a server: see ``Squeezer/Account/init(server:key:)``.
    case invalidServer(String)
    /// Not a text that can be an account key.
    case invalidKey
    /// The server does not know the account key (403).
    case unknownKey
    /// The server refused the request and said why (400 to 499).
    case refused(message: String)
    /// The server sends elsewhere. It is not followed, since the key would go along; `to` is the other server's address.
    case redirected(to: String)
    /// No connection, or it broke.
    case unreachable(server: String, reason: String)
    /// An answer that is no short URL and no refusal; `status` is nil where it was not even HTTP.
    case unexpectedAnswer(status: Int?)
    /// Not finished within the squeezer's limit.
    case timedOut(after: Duration)
    /// Cancelled by the caller.
    case cancelled
}

extension SqueezeError: LocalizedError {
    /// What was wrong and what to do.
    public var errorDescription: String? {
        switch self {
        case .invalidLongURL(let text):
            "\"\(text)\" cannot be shortened; give a web address like https://example.com/page."
        case .invalidServer(let text):
            "\"\(text)\" is no shortener's address; write it like https://s.example, in ASCII, without user or query."
        case .invalidKey:
            "This cannot be an account key; it may hold only letters, digits and characters that are legal in a path."
        case .unknownKey:
            "The server does not know this account key; check it, or ask the server's owner for one."
        case .refused(let message):
            "The server refused this: \(message)."
        case .redirected(let server):
            "The server sends elsewhere, to \(server); if you trust that, use it as the server."
        case .unreachable(let server, let reason):
            "\(server) cannot be reached: \(reason). Check the address and the connection."
        case .unexpectedAnswer(let status):
            Self.description(ofStatus: status)
        case .timedOut(let limit):
            "The server did not answer within \(limit.inWords); try again later, or allow more time."
        case .cancelled:
            "The request was cancelled."
        }
    }

    private static func description(ofStatus status: Int?) -> String {
        switch status {
        case .some(500...599):
            "The server has trouble of its own (status \(status ?? 500)); try again later."
        case .some(let status):
            "The server answered, but not as a shortener does (status \(status)); check its address."
        case nil:
            "What came from the server is no HTTP answer; check its address and port."
        }
    }
}

extension Duration {
    /// In seconds, as Foundation counts.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// `1 second`, `30 seconds`, `0.5 seconds`.
    fileprivate var inWords: String {
        let seconds = inSeconds
        if seconds == 1 { return "1 second" }
        return seconds == seconds.rounded() ? "\(components.seconds) seconds" : "\(seconds) seconds"
    }
}
