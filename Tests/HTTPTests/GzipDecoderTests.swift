import Packing
import Testing

@testable import HTTP

struct GzipDecoderTests {
    /// The content, or the status of the fault; nil content where it has no end. `size` bytes come at a time.
    private func unpack(_ bytes: [UInt8], limit: Int = 4096, by size: Int = .max) -> (content: [UInt8]?, fault: Status?) {
        guard var decoder = GzipDecoder(limit: limit) else { return (nil, nil) }
        var content: [UInt8] = []
        var at = 0
        do throws(RequestFault) {
            while at < bytes.count {
                let count = min(size, bytes.count - at)
                try decoder.decode(bytes.span.extracting(at..<at + count), into: &content)
                at += count
            }
        } catch {
            return (nil, error.status)
        }
        return (decoder.isWhole ? content : nil, nil)
    }

    @Test(arguments: [1, 2, 3, 7, 1000, .max]) func `what was packed comes out, in pieces of any size`(size: Int) {
        let text = Array(String(repeating: "a long URL, ", count: 300).utf8)
        for level: Int32 in [0, 1, 9] { #expect(unpack(gzip(text, level: level), by: size).content == text) }
        #expect(unpack(gzip(""), by: size).content == [])
    }

    @Test func `no bytes at all are no content`() { #expect(unpack([]).content == []) }

    @Test(arguments: [1, .max]) func `members may follow each other, and are counted together`(size: Int) {
        let two = gzip("one, ") + gzip("") + gzip("two")
        #expect(unpack(two, by: size).content == Array("one, two".utf8))
        #expect(unpack(two, limit: 8, by: size).content?.count == 8)
        #expect(unpack(two, limit: 7, by: size).fault == .contentTooLarge)
    }

    @Test(arguments: [1, .max]) func `content at the limit is taken, one byte more is 413`(size: Int) {
        for limit in [0, 1, 4096, 16 * 1024, 100_000] {
            let full = [UInt8](repeating: 7, count: limit)
            #expect(unpack(gzip(full), limit: limit, by: size).content == full)
            #expect(unpack(gzip(full + [7]), limit: limit, by: size).fault == .contentTooLarge)
        }
    }

    @Test func `a bomb ends at the limit and is never held`() throws {
        // 64 MiB in 64 KiB.
        let bomb = gzip([UInt8](repeating: 0, count: 64 << 20), level: 9)
        #expect(bomb.count < 70_000)
        guard var decoder = GzipDecoder(limit: 100_000) else { throw RequestFault(.serviceUnavailable, "no memory") }
        var content: [UInt8] = []
        var fault: Status?
        do throws(RequestFault) {
            try decoder.decode(bomb.span, into: &content)
        } catch {
            fault = error.status
        }
        #expect(fault == .contentTooLarge)
        #expect(content.count <= 100_000 && content.capacity < 250_000)
    }

    @Test(arguments: [1, .max]) func `every beginning of a good stream is unfinished, not malformed`(size: Int) {
        let packed = gzip("https://example.com/")
        for count in 1..<packed.count {
            let outcome = unpack(Array(packed[..<count]), by: size)
            #expect(outcome.content == nil && outcome.fault == nil, "\(count)")
        }
    }

    @Test(arguments: [1, .max]) func `what is no gzip, or is behind one, is 400`(size: Int) {
        let packed = gzip("https://example.com/")
        let deflated = Array(packed[10..<packed.count - 8])
        for bytes in [Array("plain text".utf8), [0x1f, 0x8c], deflated, [0x78, 0x9c] + deflated, packed + [0, 0]] {
            #expect(unpack(bytes, by: size).fault == .badRequest)
        }
        // A single byte is not yet wrong, but no end either.
        for bytes in [[0], packed + [0], packed + [1]] { #expect(unpack(bytes, by: size).content == nil) }
    }

    @Test func `a byte changed anywhere is found, or changes nothing`() {
        let text = Array("https://example.com/ and much more of the same, more of the same".utf8)
        let packed = gzip(text)
        for place in packed.indices {
            for bit in 0..<8 {
                var changed = packed
                changed[place] ^= 1 << bit
                // The header's time and system are nobody's content, nor are the last bits before the trailer.
                if let content = unpack(changed).content { #expect(content == text, "\(place)") }
            }
        }
    }
}
