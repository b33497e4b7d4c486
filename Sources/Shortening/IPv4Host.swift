// IPv4 addresses in every form that browsers read: one to four numbers, decimal, octal or hexadecimal
// (url.spec.whatwg.org, «IPv4 parser» and «ends in a number checker»).

enum IPv4Host {
    /// Whether a domain must be read as an address, and refused where it is none: its last label is a number.
    static func isMeant(by domain: [UInt8]) -> Bool {
        var parts = labels(domain)
        if parts.last?.isEmpty == true {
            if parts.count == 1 { return false }
            parts.removeLast()
        }
        guard let last = parts.last, !last.isEmpty else { return false }
        return last.allSatisfy(ByteSet.digits.contains) || number(last) != nil
    }

    /// The address, or nil where the domain is none.
    static func parse(_ domain: [UInt8]) -> UInt32? {
        var parts = labels(domain)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count <= 4 else { return nil }
        var numbers: [UInt64] = []
        for part in parts {
            guard let number = number(part) else { return nil }
            numbers.append(number)
        }
        // The last number fills all the bytes that the others leave: 127.1 is 127.0.0.1.
        guard let last = numbers.popLast(), last < 1 << UInt64(8 * (4 - numbers.count)) else { return nil }
        var address = UInt32(last)
        for (index, number) in numbers.enumerated() {
            guard number <= 255 else { return nil }
            address |= UInt32(number) << UInt32(8 * (3 - index))
        }
        return address
    }

    /// The dotted form with four decimal numbers.
    static func serialize(_ address: UInt32) -> [UInt8] {
        Array("\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)".utf8)
    }

    private static func labels(_ domain: [UInt8]) -> [ArraySlice<UInt8>] {
        domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    /// `0x` begins a hexadecimal number and `0` an octal one; nothing after the prefix is 0. Numbers too big for any address
    /// come out as the largest that is still too big.
    private static func number(_ part: ArraySlice<UInt8>) -> UInt64? {
        var digits = part
        var radix: UInt64 = 10
        if digits.count >= 2, digits.first == UInt8(ascii: "0") {
            digits = digits.dropFirst()
            radix = 8
            if let mark = digits.first, mark | 0x20 == UInt8(ascii: "x") {
                digits = digits.dropFirst()
                radix = 16
            }
        } else if digits.isEmpty {
            return nil
        }
        var value: UInt64 = 0
        for digit in digits {
            guard let digit = PercentEncoding.hexValue(digit), digit < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 40)
        }
        return value
    }
}
