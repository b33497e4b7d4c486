// An account at a shortener: whom to ask, and with which key. The key goes into the request and nowhere else.
internal import Foundation

extension Squeezer {
    /// A shortener and the key of an account there.
    ///
    /// Printing, dumping or interpolating an account shows its server only.
    public struct Account: Sendable, Equatable {
        /// The server's address without a `/` at its end, for instance `https://s.example`.
        public let server: String
        private let key: String

        /// An account, checked for what can be checked without asking the server.
        ///
        /// - Parameters:
        ///   - server: `http` or `https`, a host, perhaps a port and a path under which the shortener stands. No user name,
        ///     query or fragment. A host outside ASCII has to be given in its `xn--` form.
        ///   - key: the account key, most often 32 hexadecimal digits; blanks and line ends around it are left off.
        /// - Throws: ``SqueezeError/invalidServer(_:)`` or ``SqueezeError/invalidKey``.
        public init(server: String, key: String) throws(SqueezeError) {
            let address = server.trimmingCharacters(in: .whitespacesAndNewlines)
            guard Self.isServer(address) else { throw .invalidServer(Self.presentable(address)) }
            let secret = key.trimmingCharacters(in: .whitespacesAndNewlines)
            guard Self.isKey(secret) else { throw .invalidKey }
            self.server = String(address.reversed().drop { $0 == "/" }.reversed())
            self.key = secret
        }

        /// The text with every occurrence of the account key, in any letter case, replaced.
        package func withoutKey(_ text: String) -> String {
            text.replacingOccurrences(of: key, with: "(account key)", options: [.caseInsensitive, .literal])
        }

        /// The URL to ask for a short URL: the long one is escaped wholly, so that it comes through whatever it holds.
        func requestURL(longURL: String) throws(SqueezeError) -> URL {
            let text = longURL.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }),
                let escaped = text.addingPercentEncoding(withAllowedCharacters: Self.unreserved),
                let url = URL(string: "\(server)/Squeeze.svc/text/\(key)?url=\(escaped)")
            else { throw .invalidLongURL(text.excerpt) }
            return url
        }

        /// RFC 3986 section 2.3: what never needs escaping. `CharacterSet.alphanumerics` would have all of Unicode's.
        private static let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

        private static func isServer(_ text: String) -> Bool {
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#""<>\^`{|}"#.utf8.contains($0) }),
                let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty
            else { return false }
            return ["http", "https"].contains(parts.scheme?.lowercased())
                && parts.user == nil && parts.password == nil && parts.query == nil && parts.fragment == nil
                && (1...65535).contains(parts.port ?? 80)
        }

        /// The key stands in the path as it is, so only characters that need no escaping there (RFC 3986 section 3.3).
        private static func isKey(_ text: String) -> Bool {
            let allowed = unreserved.union(CharacterSet(charactersIn: "!$&'()*+,;=:@"))
            return !text.isEmpty && text != "." && text != ".." && text.unicodeScalars.allSatisfy(allowed.contains)
        }

        /// A refused server for showing. What stands before an `@` may be a password.
        private static func presentable(_ text: String) -> String {
            // Server and key are easily given in each other's place.
            if text.utf8.count >= 32 && text.allSatisfy(\.isHexDigit) { return "(something like an account key)" }
            guard let at = text.lastIndex(of: "@") else { return text.excerpt }
            return "...\(text[at...])".excerpt
        }
    }
}

extension Squeezer.Account: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The server; never the key.
    public var description: String { "account at \(server)" }
    /// The server; never the key.
    public var debugDescription: String { description }
    /// The server; never the key.
    public var customMirror: Mirror { Mirror(self, children: ["server": server]) }
}
