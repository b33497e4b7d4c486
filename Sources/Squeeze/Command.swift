// The command `squeeze`: short URLs on standard output, one a line and nothing else there; everything said to people goes
// to standard error, without the account key.
internal import Foundation
internal import SqueezeKit

struct Command {
    /// How the process ends.
    enum Status: Int32 {
        case done = 0
        case failed = 1
        case usage = 2
    }

    private let account: Squeezer.Account
    private let squeezer: Squeezer
    private var shortURLs: [String] = []
    private var status = Status.done

    private init(account: Squeezer.Account, timeout: Duration) {
        self.account = account
        squeezer = Squeezer(account: account, timeout: timeout)
    }

    /// Does what the arguments (without the command's name) ask for.
    static func run(_ words: some Sequence<String>, environment: [String: String]) async -> Status {
        do {
            let arguments = try Arguments(words)
            if arguments.wantsHelp { return write(Arguments.usage) ? .done : .failed }
            let account = try AccountSource(arguments: arguments, environment: environment).account()
            var command = Command(account: account, timeout: arguments.timeout)
            if let input = arguments.input, input != "-" {
                _ = await command.shorten(input, place: nil)
            } else {
                await command.shortenLines()
            }
            if arguments.copies { command.copy(path: environment["PATH"] ?? "") }
            return command.status
        } catch {
            complain(error.message)
            return .usage
        }
    }

    /// Every line of standard input in its order; blank ones are passed over. Stops where going on would only fail again.
    private mutating func shortenLines() async {
        var reader = LineReader()
        var number = 0
        do {
            while let line = try reader.next() {
                number += 1
                let place = "line \(number)"
                switch line {
                case .text(let text) where text.allSatisfy(\.isWhitespace): continue
                case .text(let text): guard await shorten(text, place: place) else { return }
                case .notUTF8: fail("\(place): not UTF-8 text; percent-encode its bytes")
                case .tooLong: fail("\(place): longer than \(LineReader.longest) bytes, which is no URL; skipped")
                }
            }
        } catch {
            fail("standard input cannot be read (error \(error.code)); give the URLs by a pipe or a file")
        }
    }

    /// Prints the short URL or complains. False where further URLs would fare no better.
    private mutating func shorten(_ longURL: String, place: String?) async -> Bool {
        do {
            let shortURL = try await squeezer.shortenURL(longURL: longURL).absoluteString
            shortURLs.append(shortURL)
            if Self.write(shortURL + "\n") { return true }
            fail("standard output cannot be written")
            return false
        } catch {
            let value = longURL.trimmingCharacters(in: .whitespacesAndNewlines).excerpt
            fail([place, value, error.localizedDescription].compactMap(\.self).joined(separator: ": "))
            return !error.concernsAll
        }
    }

    private mutating func copy(path: String) {
        guard !shortURLs.isEmpty, !Clipboard(path: path).copy(shortURLs.joined(separator: "\n")) else { return }
        fail("not copied: none of wl-copy, xclip and pbcopy is there and works; install one, or copy what was printed")
    }

    private mutating func fail(_ message: String) {
        status = .failed
        // A long URL may hold the key too, when it is one of the shortener's own addresses.
        Self.complain(account.withoutKey(message))
    }

    private static func complain(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data("squeeze: \(message)\n".utf8))
    }

    private static func write(_ text: String) -> Bool {
        (try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))) != nil
    }
}

extension SqueezeError {
    /// Whether the fault lies with the account or the server, not with one long URL.
    fileprivate var concernsAll: Bool {
        switch self {
        case .unknownKey, .redirected, .unreachable, .invalidServer, .invalidKey, .cancelled: true
        case .invalidLongURL, .refused, .unexpectedAnswer, .timedOut: false
        }
    }
}
