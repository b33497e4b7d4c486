// Between URLSession and the exchanges: passes each event to the exchange it belongs to, follows no redirect and logs in
// nowhere. Holds an exchange only while its transfer lasts.
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

// Unchecked: `exchanges` is reached under `lock` only.
final class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var exchanges: [Int: Exchange] = [:]

    /// To be called before the task is resumed.
    func add(_ exchange: Exchange, for task: URLSessionTask) {
        lock.withLock { exchanges[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        lock.withLock { exchanges[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let status = (response as? HTTPURLResponse)?.statusCode { exchange(of: dataTask)?.receive(status: status) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    // The key stands in the path, so that following would give it to whoever is named; only the other's address is shown,
    // since the rest of its URL most likely holds the key too.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(of: task)?.finish(.failure(.redirected(to: request.url?.origin ?? "another place")))
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        guard method == NSURLAuthenticationMethodHTTPBasic || method == NSURLAuthenticationMethodHTTPDigest else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let status = (challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 401
        exchange(of: task)?.finish(.failure(.unexpectedAnswer(status: status)))
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = lock.withLock { exchanges.removeValue(forKey: task.taskIdentifier) }
        // On Linux the head of a redirect to nowhere is not announced when it comes.
        if let status = (task.response as? HTTPURLResponse)?.statusCode { exchange?.receive(status: status) }
        exchange?.complete(error)
    }
}

extension URL {
    /// Scheme, host and port.
    fileprivate var origin: String? {
        guard let scheme, let host else { return nil }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme)://\(name)\(port.map { ":\($0)" } ?? "")".excerpt
    }
}
