import Glibc
import Testing

@testable import HTTP
@testable import Web

struct AttemptBrakeTests {
    private func client(_ text: String) -> ClientAddress {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_INET6)
        // 16 bytes at offset 8 of sockaddr_in6.
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            let place = unsafe bytes.baseAddress.map { unsafe $0 + 8 }
            #expect(unsafe inet_pton(AF_INET6, text, place) == 1)
        }
        return ClientAddress(storage)
    }

    @Test func `so many wrong attempts a minute are let pass, the next must wait out the minute`() {
        let brake = AttemptBrake(limit: 3)
        let (start, one) = (ContinuousClock.now, client("::ffff:192.0.2.1"))
        for _ in 0..<3 { #expect(brake.countWrong(one, at: start) == nil) }
        #expect(brake.countWrong(one, at: start) == 60)
        #expect(brake.countWrong(one, at: start + .milliseconds(500)) == 60)
        #expect(brake.countWrong(one, at: start + .seconds(1)) == 59)
        #expect(brake.countWrong(one, at: start + .seconds(59.9)) == 1)
        #expect(brake.countWrong(one, at: start + .seconds(60)) == nil)
        for _ in 0..<2 { #expect(brake.countWrong(one, at: start + .seconds(61)) == nil) }
        #expect(brake.countWrong(one, at: start + .seconds(61)) == 59)
    }

    @Test func `one client's attempts are not another's, and a site of IPv6 is one client`() {
        let brake = AttemptBrake(limit: 1)
        let now = ContinuousClock.now
        #expect(brake.countWrong(client("::ffff:192.0.2.1"), at: now) == nil)
        #expect(brake.countWrong(client("::ffff:192.0.2.2"), at: now) == nil)
        #expect(brake.countWrong(client("::ffff:192.0.2.1"), at: now) != nil)
        #expect(brake.countWrong(client("2001:db8::1"), at: now) == nil)
        #expect(brake.countWrong(client("2001:db8::ffff:2"), at: now) != nil)
        #expect(brake.countWrong(client("2001:db8:0:1::1"), at: now) == nil)
        #expect(brake.countWrong(.local, at: now) == nil)
    }

    @Test func `attempts that reach it out of order do no harm`() {
        let brake = AttemptBrake(limit: 1)
        let now = ContinuousClock.now
        #expect(brake.countWrong(.local, at: now) == nil)
        #expect((brake.countWrong(.local, at: now - .seconds(1)) ?? 0) > 0)
    }
}
