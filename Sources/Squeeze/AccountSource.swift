// Where server and key come from: an option, else the environment; the key also from a file, so that it need not stand in a
// list of processes. Never puts a key into a message.
internal import Foundation
internal import SqueezeKit

struct AccountSource {
    let arguments: Arguments
    let environment: [String: String]

    /// The account to use.
    func account() throws(UsageError) -> Squeezer.Account {
        guard let server = arguments.server ?? set("SQUEEZE_SERVER") else {
            throw UsageError("no server; give --server URL or set SQUEEZE_SERVER, for instance to https://s.example")
        }
        let key = try self.key()
        do {
            return try Squeezer.Account(server: server, key: key)
        } catch {
            throw UsageError(error.localizedDescription)
        }
    }

    private func key() throws(UsageError) -> String {
        if let key = arguments.key { return key }
        if let file = arguments.keyFile { return try key(inFile: file) }
        if let key = set("SQUEEZE_KEY") { return key }
        if let file = set("SQUEEZE_KEY_FILE") { return try key(inFile: file) }
        throw UsageError("no account key; set SQUEEZE_KEY or SQUEEZE_KEY_FILE, or give --key-file FILE")
    }

    private func key(inFile path: String) throws(UsageError) -> String {
        // A key is short: reading on would only be for a file named by mistake, and some files never end.
        let most = 4096
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: most + 1) else {
            throw UsageError("the key file \"\(path.excerpt)\" cannot be read; check the path and its permissions")
        }
        guard data.count <= most, let text = String(data: data, encoding: .utf8) else {
            throw UsageError("the key file \"\(path.excerpt)\" holds more than an account key")
        }
        return text
    }

    /// An empty variable counts as none: many ways of starting a program cannot unset one.
    private func set(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
