import CLinux
import Glibc
import Testing

@testable import HTTP

/// The small values: dates, addresses, output, durations.
struct ValueTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
        (1_735_689_600, "Wed, 01 Jan 2025 00:00:00 GMT"), (2_147_483_647, "Tue, 19 Jan 2038 03:14:07 GMT"),
        (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (4_294_967_296, "Sun, 07 Feb 2106 06:28:16 GMT"),
        (13_574_563_200, "Tue, 29 Feb 2400 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (-86_400, "Wed, 31 Dec 1969 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `a moment becomes its date`(_ seconds: Int64, _ text: String) {
        #expect(String(decoding: httpDate(seconds), as: UTF8.self) == text)
    }

    @Test func `dates agree with the C library's all along`() {
        var random = Xorshift(seed: 5)
        for _ in 0..<3_000 {
            let seconds = Int64.random(in: -10_000_000_000...200_000_000_000, using: &random)
            var moment = time_t(seconds)
            var parts = unsafe tm()
            unsafe gmtime_r(&moment, &parts)
            var text = [CChar](repeating: 0, count: 64)
            unsafe strftime(&text, 64, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            let wanted = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            #expect(httpDate(seconds) == wanted)
            #expect(wanted.count == 29)
        }
    }

    private func address(_ text: String) -> ClientAddress {
        var storage = sockaddr_storage()
        let isIPv6 = text.contains(":")
        storage.ss_family = sa_family_t(isIPv6 ? AF_INET6 : AF_INET)
        // inet_pton(3) writes 16 or 4 bytes; addresses begin at offset 8 or 4 of their structures.
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            let place = unsafe bytes.baseAddress.map { unsafe $0 + (isIPv6 ? 8 : 4) }
            #expect(unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, place) == 1)
        }
        return ClientAddress(storage)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("127.0.0.1", "127.0.0.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8:85A3:0:0:8a2e:370:7334", "2001:db8:85a3::8a2e:370:7334"),
        ("::1", "::1"),
        ("fe80::1", "fe80::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ])
    func `an address has one text whatever it was written as`(_ written: String, _ text: String) {
        #expect(address(written).text == text)
    }

    @Test func `equal addresses are equal values, and a local socket has none`() {
        #expect(address("::ffff:192.0.2.1") == address("192.0.2.1"))
        #expect(address("2001:db8:85a3::8a2e:370:7334") == address("2001:DB8:85A3:0:0:8A2E:370:7334"))
        #expect(address("192.0.2.1") != address("192.0.2.2"))
        var local = sockaddr_storage()
        local.ss_family = sa_family_t(AF_UNIX)
        #expect(ClientAddress(local) == .local)
        #expect(ClientAddress.local.text == "local")
        #expect(ClientAddress.local.site == .local)
    }

    @Test func `a site is an IPv4 address or the first 64 bits of an IPv6 one`() {
        #expect(address("192.0.2.1").site == address("192.0.2.1"))
        #expect(address("192.0.2.1").site != address("192.0.2.2").site)
        #expect(address("2001:db8::1").site == address("2001:db8::ffff:1").site)
        #expect(address("2001:db8::1").site != address("2001:db8:0:1::1").site)
        #expect(address("2001:db8::1").site.text == "2001:db8::")
    }

    @Test func `output is what was appended, in order`() {
        var output = OutputBuffer(capacity: 4)
        #expect(Bool(output.isEmpty))
        output.append("HTTP ")
        output.append(decimal: 200)
        output.append(text: " ü ")
        output.append(hexadecimal: 255)
        output.append([0x21])
        output.append("xyz".utf8Span.span)
        let text = String(decodingUTF8: output.bytes)
        #expect(text == "HTTP 200 ü ff!xyz")
        #expect(Int(output.count) == 18)
        output.removeAll()
        #expect(Bool(output.isEmpty))
    }

    @Test func `output grows without losing a byte, and what is appended to it may be empty`() {
        var output = OutputBuffer(capacity: 1)
        var wanted: [UInt8] = []
        var random = Xorshift(seed: 4)
        for round in 0..<200 {
            let bytes = (0..<Int.random(in: 0...3000, using: &random)).map { UInt8(truncatingIfNeeded: $0 + round) }
            output.append(bytes)
            wanted += bytes
        }
        var isSame = output.count == wanted.count
        for index in output.bytes.indices where output.bytes[index] != wanted[index] { isSame = false }
        #expect(isSame)
        output.removeAll()
        output.append("after")
        let text = String(decodingUTF8: output.bytes)
        #expect(text == "after")
    }

    @Test func `no field value can end its line`() {
        var output = OutputBuffer(capacity: 4)
        output.append(fieldValue: "a\r\nX: 1\0b\u{85}")
        let text = String(decodingUTF8: output.bytes)
        #expect(text == "a  X: 1 b\u{85}")
    }

    @Test(
        arguments: [
            (Duration.zero, 0), (.seconds(1), 1_000_000_000), (.milliseconds(1500), 1_500_000_000), (.nanoseconds(7), 7),
            (.seconds(-1), 0), (.milliseconds(-5), 0), (.seconds(Int64.max), 1 << 62), (.seconds(20_000_000_000), 1 << 62),
        ] as [(Duration, UInt64)])
    func `a duration in nanoseconds can be added to any time`(_ duration: Duration, _ nanoseconds: UInt64) {
        #expect(duration.nanoseconds == nanoseconds)
    }

    @Test func `a status has its phrase, and only 204 and 304 have no content`() {
        #expect("\(Status.found.reason)" == "Found")
        #expect("\(Status(rawValue: 599).reason)" == "")
        #expect(!Status.noContent.allowsContent && !Status.notModified.allowsContent && Status.ok.allowsContent)
    }

    @Test func `the token of a closed connection never means the next one`() {
        var tokens = Set<ConnectionToken>()
        for serial in 0..<100 as Range<UInt32> { tokens.insert(ConnectionToken(slot: 3, serial: serial)) }
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.slot == 3 && Acceptor.listenerIndex($0.raw) == nil })
        #expect(Acceptor.listenerIndex(Poller.wakeToken) == nil)
    }
}
