// A case of the corpus: bytes that a client sends and what must come of them. Corpus/README.md says how it is written.
import Foundation
import Testing

struct CorpusCase: CustomTestStringConvertible, Sendable {
    enum End: String, Sendable { case open, closed, waiting }

    let name: String
    var why = ""
    var statuses: [Int] = []
    var end = End.open
    var content: [UInt8]?
    /// The bytes, one element a packet.
    var packets: [[UInt8]] = []

    var testDescription: String { name }

    /// All cases, by name.
    static let all: [CorpusCase] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".case") }.sorted().compactMap { file in
            let text = try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            return text.flatMap { CorpusCase(name: String(file.dropLast(5)), $0) }
        }
    }()

    /// Nil for a file that is not written as a case is.
    init?(name: String, _ text: String) {
        self.name = name
        guard let separator = text.range(of: "---\n") else { return nil }
        for line in text[..<separator.lowerBound].split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon] {
            case "why": why = String(value)
            case "expect": statuses = value.split(separator: " ").compactMap { Int($0) }
            case "end":
                guard let end = End(rawValue: String(value)) else { return nil }
                self.end = end
            case "content": content = Self.unescaped(value).flatMap(\.self)
            default: return nil
            }
        }
        packets = Self.unescaped(text[separator.upperBound...])
        guard !why.isEmpty, packets != [[]] else { return nil }
    }

    private static func unescaped(_ text: some StringProtocol) -> [[UInt8]] {
        var packets: [[UInt8]] = [[]]
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                if byte != UInt8(ascii: "\n") { packets[packets.count - 1].append(byte) }
                continue
            }
            switch rest.popFirst().map({ Character(UnicodeScalar($0)) }) {
            case "r": packets[packets.count - 1].append(13)
            case "n": packets[packets.count - 1].append(10)
            case "t": packets[packets.count - 1].append(9)
            case "0": packets[packets.count - 1].append(0)
            case "x":
                packets[packets.count - 1].append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            case "|": packets.append([])
            case "*":
                let count = rest.prefix { $0 != UInt8(ascii: ",") }
                rest = rest.dropFirst(count.count + 1)
                let repeated = rest.prefix { $0 != UInt8(ascii: ";") }
                rest = rest.dropFirst(repeated.count + 1)
                let piece = unescaped(String(decoding: repeated, as: UTF8.self))[0]
                for _ in 0..<(Int(String(decoding: count, as: UTF8.self)) ?? 0) { packets[packets.count - 1] += piece }
            default: packets[packets.count - 1].append(UInt8(ascii: "\\"))
            }
        }
        return packets
    }
}
