import Foundation
import Testing

@testable import HTTP

/// What is said about certificates that cannot be used, and about those that soon cannot.
struct CertificateTests {
    private func problem(_ files: CertificateFiles) async throws -> String {
        try await offThread {
            do throws(CertificateProblem) {
                _ = try files.check()
                return ""
            } catch {
                return error.message
            }
        }
    }

    private func issue(_ order: TestAuthority.Order = .init()) async throws -> CertificateFiles {
        try await offThread { try TestAuthority.shared.get().issue(order) }
    }

    @Test func `a good pair is taken without a word`() async throws {
        let files = try await issue()
        #expect(try await offThread { try files.check() } == [])
        let rsa = try await issue(.init(key: ["rsa:2048"]))
        #expect(try await problem(rsa) == "")
        let ed = try await issue(.init(key: ["ed25519"]))
        #expect(try await problem(ed) == "")
    }

    @Test func `a certificate that has expired is refused with the day`() async throws {
        let files = try await issue(.init(from: -10, to: -3))
        let text = try await problem(files)
        #expect(text.hasPrefix("\(files.certificate) expired on 20") && text.hasSuffix(" UTC."), "\(text)")
    }

    @Test func `a certificate that is not valid yet is refused with the day`() async throws {
        let files = try await issue(.init(from: 2, to: 9))
        let text = try await problem(files)
        #expect(text.hasPrefix("\(files.certificate) is not valid before 20"), "\(text)")
        #expect(text.hasSuffix(" UTC; is the clock right?"), "\(text)")
    }

    @Test func `a key of another certificate is refused, naming both files`() async throws {
        let (one, other) = (try await issue(), try await issue())
        let text = try await problem(CertificateFiles(certificate: one.certificate, key: other.key))
        #expect(text.hasPrefix("\(other.key) does not belong to \(one.certificate): "), "\(text)")
        let rsa = try await issue(.init(key: ["rsa:2048"]))
        #expect(try await problem(CertificateFiles(certificate: one.certificate, key: rsa.key)).contains("does not belong"))
    }

    @Test func `a chain in the wrong order is told as the key's mismatch`() async throws {
        let files = try await issue()
        let authority = try TestAuthority.shared.get()
        let leaf = try String(contentsOfFile: files.certificate, encoding: .utf8)
        let root = try String(contentsOfFile: authority.certificate, encoding: .utf8)
        let wrong = try authority.write(root + leaf, to: "wrong-order.pem")
        #expect(try await problem(.init(certificate: wrong, key: files.key)).contains("first certificate of the file"))
        let right = try authority.write(leaf + root, to: "right-order.pem")
        #expect(try await problem(.init(certificate: right, key: files.key)) == "")
    }

    @Test func `files that are missing, empty, folders or something else are told apart`() async throws {
        let files = try await issue()
        let authority = try TestAuthority.shared.get()
        let nowhere = authority.folder.appendingPathComponent("nowhere.pem").path
        let empty = try authority.write("", to: "empty.pem")
        let folder = authority.folder.path
        let pem = try String(contentsOfFile: files.certificate, encoding: .utf8)
        let damaged = try authority.write(pem.replacingOccurrences(of: "MII", with: "MIJ"), to: "damaged.pem")
        let cut = try authority.write(String(pem.dropLast(60)), to: "cut.pem")
        for (certificate, key, sentence) in [
            (nowhere, files.key, "\(nowhere) cannot be read: No such file or directory."),
            (files.certificate, nowhere, "\(nowhere) cannot be read: No such file or directory."),
            (folder, files.key, "\(folder) is not a file."), (files.certificate, "/dev/zero", "/dev/zero is not a file."),
            (empty, files.key, "\(empty) holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)."),
            (files.key, files.key, "\(files.key) holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)."),
            (
                files.certificate, empty,
                "\(empty) holds no private key in PEM form (-----BEGIN PRIVATE KEY-----), or a damaged one."
            ),
        ] {
            let text = try await problem(.init(certificate: certificate, key: key))
            #expect(text == sentence, "\(text)")
        }
        for file in [damaged, cut] {
            let text = try await problem(.init(certificate: file, key: files.key))
            #expect(text.hasPrefix("\(file) holds a damaged certificate: "), "\(text)")
        }
    }

    @Test func `a sealed key is refused without asking for its password`() async throws {
        let files = try await issue(.init(isSealed: true))
        #expect(
            try await problem(files)
                == "\(files.key) is encrypted, and there is nobody to ask for its password; store the key without one.")
    }

    @Test func `a key too short for the system's policy is refused with OpenSSL's reason`() async throws {
        let files = try await issue(.init(key: ["rsa:768"]))
        let text = try await problem(files)
        #expect(text.hasPrefix("\(files.certificate) is not accepted by OpenSSL: "), "\(text)")
        #expect(text.contains("too small"), "\(text)")
    }

    @Test func `what is odd is warned of`() async throws {
        let authority = try TestAuthority.shared.get()
        let soon = try await issue(.init(from: -60, to: 5))
        #expect(try await offThread { try soon.check() }.first?.hasPrefix("\(soon.certificate) expires on 20") == true)
        let nameless = try await issue(.init(names: []))
        #expect(try await offThread { try nameless.check() }.first?.contains("names no host") == true)
        let open = try await issue()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open.key)
        #expect(
            try await offThread { try open.check() }
                == ["\(open.key) can be read by every user of this machine; take that away with chmod o-r."])
        #expect(authority.folder.path.isEmpty == false)
    }
}
