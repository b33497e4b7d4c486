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

    /// 100,000 clients over a minute, then more: from then on one is out of date for each that comes, so looking for those out of
    /// date would be looking at all.
    @Test func `however many clients guess, a bounded number is remembered, and none waits for a look at all of them`()
        throws
    {
        let brake = AttemptBrake(limit: 1)
        let start = ContinuousClock.now
        /// The thread's own time, in nanoseconds: on a busy machine the other passes as it likes.
        func guess(_ numbers: Range<Int>) throws -> UInt64 {
            let clients = try numbers.map {
                try #require(ClientAddress("10.\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)"))
            }
            let begin = processorTime()
            for (number, client) in zip(numbers, clients) {
                let now = start + .microseconds(600 * number)
                #expect(brake.countWrong(client, at: now) == nil)
                if number % 100 == 0 { #expect(brake.countWrong(client, at: now) == 60) }
            }
            return processorTime() - begin
        }
        let first = try guess(0..<100)
        _ = try guess(100..<100_200)
        let last = try guess(100_200..<100_300)
        #expect(brake.size <= 2 * AttemptBrake.capacity)
        try #require(last < first * 50, "\(first) ns for the first hundred, \(last) ns for the last")
        // A generation is still remembered after the next one has begun.
        let flooded = try #require(ClientAddress("192.0.2.1"))
        let now = start + .seconds(62)
        for _ in 0..<2 { _ = brake.countWrong(flooded, at: now) }
        for number in 0..<AttemptBrake.capacity {
            _ = brake.countWrong(
                try #require(ClientAddress("11.\(number >> 16).\(number >> 8 & 255).\(number & 255)")), at: now)
        }
        #expect(brake.countWrong(flooded, at: now) == 60)
    }

    private func processorTime() -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    @Test func `attempts that reach it out of order do no harm`() {
        let brake = AttemptBrake(limit: 1)
        let now = ContinuousClock.now
        #expect(brake.countWrong(.local, at: now) == nil)
        #expect((brake.countWrong(.local, at: now - .seconds(1)) ?? 0) > 0)
    }
}
