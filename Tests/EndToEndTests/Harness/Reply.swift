// An answer as it came over the wire.
internal import Foundation

/// One HTTP answer.
struct Reply: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    /// The first field of a name, in any letter case.
    subscript(name: String) -> String? { self.all(name).first }

    /// All fields of a name.
    func all(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    var location: String? { self["Location"] }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as a flat JSON object of strings; nil where it is none.
    var json: [String: String]? { try? JSONDecoder().decode([String: String].self, from: Data(body)) }

    /// The member `Status` of the Shortifier dialect.
    var outcome: String? { json?["Status"] }

    /// Reads a head (without its empty line).
    init(head: some Sequence<UInt8>) throws {
        let lines = String(decoding: Array(head), as: UTF8.self).components(separatedBy: "\r\n")
        let parts = lines[0].split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw Trouble("not an answer: \(lines[0])")
        }
        self.status = status
        fields = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":") else { throw Trouble("not a field line: \(line)") }
            return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
    }
}
