// What the daemon is to do about TLS, and how that is told to the server and the site.
internal import HTTP
internal import Telemetry
internal import Web

/// The settings of TLS as the modules take them.
struct TLSPlan: Sendable {
    var certificates: [CertificateFiles] = []
    var minimumVersion = TLSVersion.tls12
    /// Whether plain requests are sent to https.
    var redirectsPlain = false
    /// The value of Strict-Transport-Security; empty for none.
    var strictTransport = ""
    /// Whether the world reaches the service by a proxy that does the TLS.
    var isProxied = false

    /// Reads the certificates, and watches them from now on. Blocks. Throws with a line that names the file.
    func security(_ log: Log) throws(StartError) -> TransportSecurity {
        var security = TransportSecurity()
        security.strictTransport = strictTransport
        security.isProxied = isProxied
        if certificates.isEmpty { return security }
        do throws(CertificateProblem) {
            security.certificates = try CertificateWatch(certificates, minimumVersion: minimumVersion, log: log)
        } catch {
            throw StartError(message: error.message)
        }
        return security
    }

    /// Where plain requests are sent; nil where they are not.
    func destination(_ publicURL: String, _ security: TransportSecurity) -> HTTPSRedirect.Destination? {
        guard redirectsPlain else { return nil }
        let certificates = security.certificates
        return HTTPSRedirect.Destination(origin: publicURL) { certificates?.current.covers($0) == true }
    }
}
