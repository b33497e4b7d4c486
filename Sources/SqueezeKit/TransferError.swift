// From the errors of URLSession to ours. Their own texts are never used: they quote the URL, and so the account key.
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension SqueezeError {
    /// - Parameters:
    ///   - status: of the answer that had begun, if one had.
    ///   - timeout: the limit of the request.
    init(_ error: any Error, server: String, status: Int?, timeout: Duration) {
        guard let code = (error as? URLError)?.code else {
            self = .unreachable(server: server, reason: "network error \((error as NSError).code)")
            return
        }
        switch code {
        case .cancelled:
            self = .cancelled
        case .timedOut:
            self = .timedOut(after: timeout)
        // Our URLs are http or https: what is unsupported is the protocol of the answer, says curl of an answer in another.
        case .unsupportedURL, .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData,
            .dataLengthExceedsMaximum:
            self = .unexpectedAnswer(status: status)
        default:
            self = .unreachable(server: server, reason: Self.reason(code))
        }
    }

    private static func reason(_ code: URLError.Code) -> String {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: "its name is not known"
        case .cannotConnectToHost: "nothing answers there"
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: "this device is offline"
        case .networkConnectionLost: "the connection broke"
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
            "no secure connection could be made"
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot:
            "its certificate is not trusted"
        case .appTransportSecurityRequiresSecureConnection: "this app may use https:// only"
        default: "network error \(code.rawValue)"
        }
    }
}
