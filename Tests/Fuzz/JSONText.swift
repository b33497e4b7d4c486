// JSON texts: what is read, written anew in another way, is read the same.
@testable import JSON

/// A value as the scanner tells it.
private indirect enum Tree: Equatable {
    case null
    case flag(Bool)
    case text([UInt8])
    case number(Int64)
    case list([Tree])
    case object([Pair])

    struct Pair: Equatable {
        let name: [UInt8]
        let value: Tree
    }
}

func fuzzJSON(_ bytes: [UInt8]) {
    // The scanner asks for UTF-8.
    guard String(validating: bytes, as: UTF8.self) != nil else { return }
    let isSkipped = isWhole(bytes)
    guard let value = tree(bytes) else { return }
    claim(isSkipped, "what can be read is no value")
    var json: [UInt8] = []
    write(value, &json)
    claim(isWhole(json), "what was written is no value: \(String(decoding: json, as: UTF8.self))")
    claim(tree(json) == value, "what was written is another value: \(String(decoding: json, as: UTF8.self))")
}

/// Whether the scanner takes the bytes for one value.
private func isWhole(_ bytes: [UInt8]) -> Bool {
    var scanner = JSONScanner(bytes.span)
    do throws(JSONFault) {
        try scanner.skipValue()
        try scanner.expectEnd()
        return true
    } catch {
        claim(!error.reason.isEmpty, "a fault without a reason")
        return false
    }
}

/// The value; nil where the bytes are none, or hold numbers that are not whole or values deeper than this reader goes.
private func tree(_ bytes: [UInt8]) -> Tree? {
    var scanner = JSONScanner(bytes.span)
    do throws(JSONFault) {
        let value = try value(&scanner, depth: 0)
        try scanner.expectEnd()
        return value
    } catch {
        return nil
    }
}

private func value(_ scanner: inout JSONScanner, depth: Int) throws(JSONFault) -> Tree {
    guard depth < 100 else { throw JSONFault(reason: "too deep") }
    var buffer: [UInt8] = []
    switch scanner.peek() {
    case UInt8(ascii: "{"):
        var pairs: [Tree.Pair] = []
        try scanner.members(&buffer) { scanner, name, buffer throws(JSONFault) in
            pairs.append(Tree.Pair(name: Array(buffer[name]), value: try value(&scanner, depth: depth + 1)))
        }
        return .object(pairs)
    case UInt8(ascii: "["):
        var elements: [Tree] = []
        try scanner.elements(&buffer) { scanner, _ throws(JSONFault) in
            elements.append(try value(&scanner, depth: depth + 1))
        }
        return .list(elements)
    case UInt8(ascii: "\""):
        let place = try scanner.string(&buffer)
        let text = Array(buffer[place])
        claim(String(validating: text, as: UTF8.self) != nil, "a text that is not UTF-8 came out")
        return .text(text)
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .flag(try scanner.bool())
    case UInt8(ascii: "n"): if scanner.takeNull() { return .null }
    default: break
    }
    return .number(try scanner.wholeNumber())
}

/// With every character of a text escaped, and blanks between all.
private func write(_ tree: Tree, _ json: inout [UInt8]) {
    switch tree {
    case .null: json += Array(" null\n".utf8)
    case .flag(let flag): json += Array("\t\(flag) ".utf8)
    case .number(let number): json += Array(" \(number)\r".utf8)
    case .text(let text): writeText(text, &json)
    case .list(let elements):
        json += Array("[ ".utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            write(element, &json)
        }
        json += Array(" ]".utf8)
    case .object(let pairs):
        json += Array(" {".utf8)
        for (index, pair) in pairs.enumerated() {
            if index > 0 { json += Array(" , ".utf8) }
            writeText(pair.name, &json)
            json += Array(" :".utf8)
            write(pair.value, &json)
        }
        json += Array("}\n".utf8)
    }
}

private func writeText(_ text: [UInt8], _ json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    for unit in String(decoding: text, as: UTF8.self).utf16 {
        let digits = String(unit, radix: 16, uppercase: unit & 1 == 1)
        json += Array(("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
    }
    json.append(UInt8(ascii: "\""))
}
