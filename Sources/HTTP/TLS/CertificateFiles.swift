// Where a certificate and its key are, and whether they can be used: every way in which they can be wrong ends in a sentence
// for whoever wrote the settings. When they are read again is not known here.
internal import CLinux
internal import COpenSSL
internal import Glibc
internal import Telemetry

/// The two files of a certificate, both PEM. One file may hold both.
package struct CertificateFiles: Sendable, Equatable {
    /// The host's certificate, and behind it those that lead to an authority.
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads both files as the server would. Returns sentences about what is odd but no reason to stop. Any thread; blocks.
    package func check() throws(CertificateProblem) -> [String] {
        let loaded = try load()
        // Some things only a context says, such as that a key is too short for the system's policy.
        _ = try TLSContext([loaded], minimumVersion: .tls12)
        return loaded.warnings
    }

    /// Reads and checks both files. Blocks.
    func load() throws(CertificateProblem) -> Certificate {
        let chain = try CertificateChain(file: certificate)
        let key = try PrivateKey(file: self.key)
        guard key.belongs(to: chain) else {
            throw CertificateProblem(
                message:
                    "\(self.key) does not belong to \(certificate): the key must be the one that the first certificate of "
                    + "the file was made for.")
        }
        try checkTimes(chain)
        return Certificate(files: self, chain: chain, key: key, warnings: warnings(chain, key))
    }

    private func checkTimes(_ chain: CertificateChain) throws(CertificateProblem) {
        let now = Int64(time(nil))
        if chain.notAfter <= now {
            throw CertificateProblem(message: "\(certificate) expired on \(day(chain.notAfter)).")
        }
        if chain.notBefore > now {
            throw CertificateProblem(
                message: "\(certificate) is not valid before \(day(chain.notBefore)); is the clock right?")
        }
    }

    private func warnings(_ chain: CertificateChain, _ key: PrivateKey) -> [String] {
        var warnings: [String] = []
        if chain.names.isEmpty {
            warnings.append("\(certificate) names no host (subjectAltName), so browsers refuse it.")
        }
        // Whoever renews in time never comes this close: a week for certificates of 70 days.
        let left = chain.notAfter - Int64(time(nil))
        if left < (chain.notAfter - chain.notBefore) / 10 {
            warnings.append("\(certificate) expires on \(day(chain.notAfter)).")
        }
        if key.isReadableByAll {
            warnings.append("\(self.key) can be read by every user of this machine; take that away with chmod o-r.")
        }
        return warnings
    }
}

/// Why a certificate cannot be used: one or two sentences on one line.
package struct CertificateProblem: Error, Sendable, Equatable {
    package let message: String
}

/// A certificate, read and checked.
struct Certificate {
    let files: CertificateFiles
    let chain: CertificateChain
    let key: PrivateKey
    /// Whole sentences.
    let warnings: [String]
}

/// A moment as people write it, in UTC.
private func day(_ seconds: Int64) -> String { "\(UTCTime(secondsSince1970: seconds).readable) UTC" }
