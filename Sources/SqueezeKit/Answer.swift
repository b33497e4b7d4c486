// What the server said, read by the Squeeze dialect: the body is the short URL alone; a refusal is a status of 400 or more
// with the text `ERROR 403: unknown account key`. Judges bytes; knows nothing of transfers.
internal import Foundation

struct Answer: Sendable {
    /// Far more than any short URL or refusal has; what is longer is some page.
    static let longest = 8192
    /// Characters of a refusal that are shown: two or three sentences.
    private static let longestRefusal = 250

    /// nil until the head has come.
    var status: Int?
    private(set) var body = Data()

    var isTooLong: Bool { body.count > Self.longest }

    mutating func append(_ data: Data) {
        // One byte too many is enough to know.
        body.append(data.prefix(Self.longest + 1 - body.count))
    }

    /// The whole answer's meaning.
    func outcome(for account: Squeezer.Account) -> Squeezer.Outcome {
        switch (status, refusal) {
        case (.some(200...299), _):
            shortURL.map { .success($0) } ?? .failure(.unexpectedAnswer(status: status))
        case (.some(403), .some):
            .failure(.unknownKey)
        case (.some(400...499), .some(let message)):
            .failure(.refused(message: account.withoutKey(message).excerpt(Self.longestRefusal)))
        default:
            .failure(.unexpectedAnswer(status: status))
        }
    }

    private var text: String? {
        String(data: body, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Only what is a web URL to the letter: nothing that `URL` would have to mend, nothing that is not ASCII.
    private var shortURL: URL? {
        guard let text, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let url = URL(string: text),
            url.absoluteString == text, ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
        else { return nil }
        return url
    }

    /// Why the server refused, without `ERROR 400:` before it and the full stop behind it.
    private var refusal: String? {
        guard let text, text.hasPrefix("ERROR"), let colon = text.firstIndex(of: ":") else { return nil }
        let message = text[text.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        return message.hasSuffix(".") ? String(message.dropLast()) : message
    }
}
