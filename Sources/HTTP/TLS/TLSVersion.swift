// The oldest version of TLS that clients may use.
internal import COpenSSL

/// A version of TLS. Older ones than these are forbidden (RFC 8996).
package enum TLSVersion: Sendable {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13

    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
