// A name with a password as browsers and old apps send them (RFC 7617).
internal import FoundationEssentials

/// What `Authorization: Basic …` carries.
struct BasicCredentials: Sendable {
    let name: String
    /// As sent: some clients do not write UTF-8.
    let password: [UInt8]

    /// Reads the field's value; nil where it is of another scheme or cannot be read.
    init?(_ field: String) {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = Data(base64Encoded: Self.trimmed(parts[1])), let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        // Bytes that are not UTF-8 become characters that no account's name has.
        name = String(decoding: bytes[..<colon], as: UTF8.self)
        password = Array(bytes[bytes.index(after: colon)...])
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
