// International domain names in the form that goes on the wire (url.spec.whatwg.org, «domain to ASCII»; Unicode UTS 46,
// non-transitional, with the checks of joiners and bidirectional text, without those of hyphens, lengths and STD3).
//
// ICU does the work: of the libraries at hand it alone opens the symbol hosts that browsers open (`☃.net`). It is asked only
// for names that need it; the many others cost a look at their bytes.
internal import CIDNA

package enum DomainToASCII {
    /// The file name of the library that names outside ASCII need, where it is not installed, else nil. Looks on the disk.
    package static var missingLibrary: String? { unsafe idna_missing_library().map { unsafe String(cString: $0) } }

    /// ICU's time grows with the square of a `xn--` label's length. A name that DNS can hold has 255 bytes, and 63 code points
    /// a label, so this is beyond all that can be reached.
    private static let longest = 4096

    /// The domain in lower-case ASCII, or nil where the standard refuses it. `domain` is percent-decoded and may hold any bytes.
    static func convert(_ domain: [UInt8]) -> [UInt8]? {
        let lowered = domain.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        guard lowered.contains(where: { $0 >= 0x80 }) || hasEncodedLabel(lowered) else { return lowered }
        guard domain.count <= longest, let idna = IDNA.shared else { return nil }
        guard let converted = idna.convert(smallSharpS(domain)), !hasLabelEncodedTwice(converted) else { return nil }
        return converted
    }

    /// UTS 46 refuses a label that still begins with `xn--` once decoded (validity criterion 4, since version 15.1); ICU does so
    /// from 74 on. Such a one begins so in its encoded form too, for Punycode writes the ASCII characters first.
    private static func hasLabelEncodedTwice(_ domain: [UInt8]) -> Bool {
        domain.split(separator: UInt8(ascii: ".")).contains { $0.starts(with: "xn--xn--".utf8) }
    }

    /// Whether a label begins with `xn--`. Such a one must be good Punycode even where all is ASCII.
    private static func hasEncodedLabel(_ lowered: [UInt8]) -> Bool {
        lowered.split(separator: UInt8(ascii: ".")).contains { $0.starts(with: "xn--".utf8) }
    }

    /// Since version 15.1 UTS 46 maps the capital sharp s (U+1E9E) to the small one; ICU before 74 still makes `ss` of it, and
    /// so another domain than browsers do.
    private static func smallSharpS(_ domain: [UInt8]) -> [UInt8] {
        guard domain.contains(0x9e) else { return domain }
        var output: [UInt8] = []
        var rest = domain[...]
        while let byte = rest.first {
            if rest.starts(with: [0xe1, 0xba, 0x9e]) {
                output += [0xc3, 0x9f]
                rest = rest.dropFirst(3)
            } else {
                output.append(byte)
                rest = rest.dropFirst()
            }
        }
        return output
    }
}

/// ICU's processor for UTS 46, opened at its first use and kept: opening it reads data from the disk.
@safe private final class IDNA: @unchecked Sendable {
    // Sendable by hand: a processor never changes and may be used by many threads at once (uidna.h, uidna_openUTS46).
    private let processor: OpaquePointer

    static let shared = IDNA()

    /// Nil where ICU has no data or is not installed; then every name that needs it is refused.
    private init?() {
        guard let processor = unsafe idna_open() else { return nil }
        unsafe self.processor = processor
    }

    func convert(_ domain: [UInt8]) -> [UInt8]? {
        var result = [CChar](repeating: 0, count: domain.count * 2 + 64)
        var length = ask(domain, &result)
        if length > result.count {
            result = [CChar](repeating: 0, count: length)
            length = ask(domain, &result)
        }
        guard (0...result.count).contains(length) else { return nil }
        return result[..<length].map { UInt8(bitPattern: $0) }
    }

    private func ask(_ domain: [UInt8], _ result: inout [CChar]) -> Int {
        // The pointers live for the call, and the counts beside them are those of their buffers.
        let length = unsafe domain.withUnsafeBytes { name in
            unsafe result.withUnsafeMutableBufferPointer { output in
                unsafe idna_to_ascii(
                    processor, name.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(name.count), output.baseAddress,
                    Int32(output.count))
            }
        }
        return Int(length)
    }
}
