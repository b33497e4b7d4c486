// A JSON5 document (https://spec.json5.org) as a tree. FoundationEssentials reads; here is only what it leaves open: names
// given twice, which it drops in silence, encodings that it would guess, and nesting. What the values mean is not known here.
internal import FoundationEssentials
internal import Telemetry

/// A value of a document.
enum JSON5Value: Equatable, Sendable {
    case text(String)
    /// In decimal digits: `0x10` is `16`, `1e3` is `1000`; `NaN` for what is not finite.
    case number(String)
    case boolean(Bool)
    case null
    case list([JSON5Value])
    case object([String: JSON5Value])
}

/// Why bytes are no document.
enum JSON5Fault: Error, Equatable {
    case notUTF8
    /// FoundationEssentials gives neither a reason nor a place.
    case syntax
    /// The name with those of the objects around it.
    case givenTwice(path: [String])
    case tooDeep
}

extension JSON5Value {
    /// Deeper documents are refused: reading goes down by recursion.
    static let depth = 32

    /// Reads a whole document of UTF-8, with or without a byte order mark. Pure, for any bytes.
    static func parse(_ bytes: [UInt8]) throws(JSON5Fault) -> JSON5Value {
        // JSONDecoder takes NUL bytes for a sign of UTF-16 or UTF-32.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else { throw .notUTF8 }
        let names = Lock(NamesMet())
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        // Called for every name as it is written, so also for those that lose against an equal one.
        decoder.keyDecodingStrategy = .custom { path in
            names.withLock { $0.meet(path.map(\.stringValue)) }
            return path.last ?? Name(stringValue: "")
        }
        let value: JSON5Value
        do {
            value = try decoder.decode(JSON5Value.self, from: Data(bytes))
        } catch {
            throw error as? JSON5Fault ?? .syntax
        }
        if let path = names.withLock({ $0.twice }) { throw .givenTwice(path: path) }
        return value
    }
}

/// The names of a document by their paths; an object asks for its names once.
private struct NamesMet {
    private var paths: Set<[String]> = []
    private(set) var twice: [String]?

    mutating func meet(_ path: [String]) {
        if !paths.insert(path).inserted, twice == nil { twice = path }
    }
}

private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension JSON5Value {
    /// Whether there is a value under the last of these names, in the objects under those before it.
    func holds(_ path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        guard case .object(let members) = self, let member = members[name] else { return false }
        return member.holds(path.dropFirst())
    }
}

extension JSON5Value: Decodable {
    init(from decoder: any Decoder) throws {
        if decoder.codingPath.count > Self.depth { throw JSON5Fault.tooDeep }
        let container = try decoder.singleValueContainer()
        /// Nil where the value is of another type; throws where it is damaged.
        func value<Value: Decodable>(_ type: Value.Type) throws -> Value? {
            do { return try container.decode(type) } catch DecodingError.typeMismatch { return nil }
        }
        if container.decodeNil() {
            self = .null
        } else if let flag = try value(Bool.self) {
            self = .boolean(flag)
        } else if let text = try value(String.self) {
            self = .text(text)
        } else if let number = try value(Decimal.self) {
            // Never Double: with JSON5 allowed, Swift 6.3's FoundationEssentials traps when it decodes `1e+` as one.
            self = .number("\(number)")
        } else if let list = try value([JSON5Value].self) {
            self = .list(list)
        } else {
            let members = try decoder.container(keyedBy: Name.self)
            var object: [String: JSON5Value] = [:]
            for name in members.allKeys { object[name.stringValue] = try members.decode(JSON5Value.self, forKey: name) }
            self = .object(object)
        }
    }
}
