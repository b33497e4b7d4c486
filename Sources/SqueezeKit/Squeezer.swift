// The client: asks a shortener for the short URL of a long one, by the Squeeze dialect. It starts requests and hands out
// their outcome; what goes over the wire and what comes back is judged elsewhere. No state outside its instances.
public import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A client of one account at one shortener.
///
/// Safe to share between tasks and threads; several requests may run at once and share connections. Nothing is kept on the
/// device: no cookies, no cache, no credentials. Only interfaces that app extensions may use are used. A request that is
/// running when the last reference to its squeezer goes is still finished.
public final class Squeezer: Sendable {
    /// What a request ends with: the short URL, or why there is none.
    public typealias Outcome = Result<URL, SqueezeError>

    /// Where the short URLs come from.
    public let account: Account
    /// The longest that one request may take, from its start to its last byte.
    public let timeout: Duration

    private let delegate: TransferDelegate
    private let session: URLSession

    /// Makes a client. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - account: the server and the account key.
    ///   - timeout: the longest that one request may take in all; with zero or less every request is timed out.
    public init(account: Account, timeout: Duration = .seconds(30)) {
        self.account = account
        self.timeout = timeout
        delegate = TransferDelegate()
        session = URLSession(configuration: Self.configuration(timeout: timeout), delegate: delegate, delegateQueue: nil)
    }

    deinit {
        // A session holds its delegate and its connections until it is told that nothing more will come.
        session.finishTasksAndInvalidate()
    }

    /// Asks for the short URL of a long one.
    ///
    /// Cancelling the surrounding task ends the transfer and throws ``SqueezeError/cancelled`` at once. The same long URL
    /// gives the same short URL, so that a request may be repeated.
    ///
    /// - Parameter longURL: the URL as a person would copy it; it is sent exactly, with blanks around it left off.
    /// - Returns: the short URL as the server wrote it.
    public func shortenURL(longURL: String) async throws(SqueezeError) -> URL {
        let exchange = Exchange(account: account, timeout: timeout)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start(exchange, longURL: longURL) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            exchange.finish(.failure(.cancelled))
        }
        return try outcome.get()
    }

    /// Asks for the short URL of a long one that is a `URL` already; its `absoluteString` is what is sent.
    public func shortenURL(longURL: URL) async throws(SqueezeError) -> URL {
        try await shortenURL(longURL: longURL.absoluteString)
    }

    /// Asks for the short URL of a long one and calls back.
    ///
    /// - Parameters:
    ///   - longURL: the URL as a person would copy it; it is sent exactly, with blanks around it left off.
    ///   - completionHandler: called exactly once, after this method has returned or while it returns, on a background
    ///     queue; what belongs to the user interface has to go to the main queue from there.
    /// - Returns: the running transfer, for cancelling it; it may be dropped.
    @discardableResult
    public func shortenURL(longURL: String, completionHandler: @escaping @Sendable (Outcome) -> Void) -> Transfer {
        let exchange = Exchange(account: account, timeout: timeout)
        start(exchange, longURL: longURL, handler: completionHandler)
        return Transfer(exchange: exchange)
    }

    /// Asks for the short URL of a long one that is a `URL` already; its `absoluteString` is what is sent.
    @discardableResult
    public func shortenURL(longURL: URL, completionHandler: @escaping @Sendable (Outcome) -> Void) -> Transfer {
        shortenURL(longURL: longURL.absoluteString, completionHandler: completionHandler)
    }

    private func start(_ exchange: Exchange, longURL: String, handler: @escaping @Sendable (Outcome) -> Void) {
        exchange.deliver(to: handler)
        do {
            let task = session.dataTask(with: try account.requestURL(longURL: longURL))
            delegate.add(exchange, for: task)
            exchange.run(task)
        } catch {
            exchange.finish(.failure(error))
        }
    }

    private static func configuration(timeout: Duration) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // The session's own limit counts silence only, and in whole seconds on Linux; the exchange keeps the real one. This
        // one stays behind it, so that a long limit is not cut at the session's default of a minute.
        configuration.timeoutIntervalForRequest = timeout.inSeconds.rounded(.up) + 1
        return configuration
    }
}

extension Squeezer {
    /// A running request of the form with a completion handler.
    public struct Transfer: Sendable {
        let exchange: Exchange

        /// Ends the transfer. The completion handler gets ``SqueezeError/cancelled``, unless it has its outcome already.
        public func cancel() {
            exchange.finish(.failure(.cancelled))
        }
    }
}
