// Names and passwords, over a real server and at the desk that checks them.
import Dispatch
import Foundation
import SQLiteStore
import Shortening
import Synchronization
import Telemetry
import Testing

@testable import HTTP
@testable import Web

@Suite struct PasswordTests {
    private func site() throws -> RunningSite {
        let site = try RunningSite()
        try site.link("a", title: "A")
        try site.collect("courses", ["a"])
        try site.collect("hidden", isPublic: false, ["a"])
        try site.setPassword("AchieveNerdvana", of: "BigNerdRanch")
        return site
    }

    @Test func `an account sees every collection, private and public ones`() throws {
        let site = try site()
        for name in ["hidden", "courses"] {
            let reply = try site.get("/private/\(name).json", basic("BigNerdRanch:AchieveNerdvana"))
            #expect(reply.status == 200)
            #expect(try (reply.object()[name] as? [Any])?.count == 1)
            #expect(reply.fields["cache-control"] == "private, no-cache")
        }
        #expect(try site.get("/private/none.json", basic("BigNerdRanch:AchieveNerdvana")).status == 404)
        #expect(try site.get("/private/courses.json?month=13", basic("BigNerdRanch:AchieveNerdvana")).status == 400)
        #expect(try site.get("/hidden.json", basic("BigNerdRanch:AchieveNerdvana")).status == 404)
    }

    @Test(arguments: [
        nil, "Authorization:", "Authorization: Basic", "Authorization: Basic ", "Authorization: Basic !!!!",
        "Authorization: Basic QmlnTmVyZFJhbmNo", "Authorization: Basic QmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ=",
        "Authorization: Bearer QmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ==",
        "Authorization: QmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ==",
        "Authorization: BasicQmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ==",
    ])
    func `absent and unreadable credentials are challenged`(field: String?) throws {
        let reply = try field.map { try site().get("/private/courses.json", $0) } ?? site().get("/private/courses.json")
        #expect(reply.status == 401)
        #expect(reply.fields["www-authenticate"] == "Basic realm=\"Shorty\", charset=\"UTF-8\"")
        #expect(try !reply.object().isEmpty && reply.object()["courses"] == nil)
    }

    @Test(arguments: [
        "BigNerdRanch:wrong", "BigNerdRanch:", "bignerdranch:AchieveNerdvana", "nobody:AchieveNerdvana", ":AchieveNerdvana",
        ":", "BigNerdRanch:AchieveNerdvana ", "keyed:", "keyed:x",
    ])
    func `readable but wrong credentials are refused without a challenge`(text: String) throws {
        let site = try site()
        // An account with a key and no password.
        _ = try site.store.createKey(account: "keyed", label: "", digest: SHA256Digest(of: [1]))
        let reply = try site.get("/private/courses.json", basic(text))
        #expect(reply.status == 403)
        #expect(reply.fields["www-authenticate"] == nil)
        #expect(try !reply.object().isEmpty && reply.object()["courses"] == nil)
    }

    @Test(arguments: ["pa:ss:word", "pässwörd ☃", "x", "\u{1F33C}:"])
    func `a password may hold colons and any letters`(password: String) throws {
        let site = try site()
        try site.setPassword(password, of: "user")
        #expect(try site.get("/private/courses.json", basic("user:" + password)).status == 200)
        let encoded = Data("user:\(password)".utf8).base64EncodedString()
        #expect(try site.get("/private/courses.json", "AUTHORIZATION: basic   \(encoded)  ").status == 200)
    }

    @Test func `after ten wrong ones a minute the next is told to wait, and a right remembered one is not`() throws {
        let site = try site()
        let right = basic("BigNerdRanch:AchieveNerdvana")
        #expect(try site.get("/private/courses.json", right).status == 200)
        for number in 0..<10 {
            #expect(try site.get("/private/courses.json", basic("BigNerdRanch:\(number)")).status == 403)
        }
        let braked = try site.get("/private/courses.json", basic("BigNerdRanch:11"))
        #expect(braked.status == 429)
        #expect((1...60).contains(Int(braked.fields["retry-after"] ?? "") ?? 0))
        #expect(try site.get("/private/courses.json", right).status == 200)
    }

    @Test func `a changed password ends the old one at once`() throws {
        let site = try site()
        #expect(try site.get("/private/courses.json", basic("BigNerdRanch:AchieveNerdvana")).status == 200)
        try site.setPassword("new", of: "BigNerdRanch")
        #expect(try site.get("/private/courses.json", basic("BigNerdRanch:AchieveNerdvana")).status == 403)
        #expect(try site.get("/private/courses.json", basic("BigNerdRanch:new")).status == 200)
    }

    // MARK: At the desk

    @Test func `a right password is hashed once, and again after it was changed, also by another process`() throws {
        let site = try site()
        let hashings = Counter()
        let desk = desk(site, hashings)
        let client = ClientAddress.local
        for _ in 0..<5 { #expect(verdict(desk, "BigNerdRanch", "AchieveNerdvana", client) == "right") }
        #expect(hashings.count == 1)
        let other = try SQLiteStore.open(file: site.store.path)
        defer { other.close() }
        try other.setPassword(#require(PasswordHash(cheaply: Array("AchieveNerdvana".utf8))), of: "someone else")
        Thread.sleep(forTimeInterval: 0.3)
        #expect(verdict(desk, "BigNerdRanch", "AchieveNerdvana", client) == "right")
        #expect(hashings.count == 1, "another account's password is nothing to this one")
        try other.setPassword(#require(PasswordHash(cheaply: Array("new".utf8))), of: "BigNerdRanch")
        Thread.sleep(forTimeInterval: 0.3)
        #expect(verdict(desk, "BigNerdRanch", "AchieveNerdvana", client) == "wrong")
        #expect(hashings.count == 2)
        #expect(verdict(desk, "BigNerdRanch", "new", client) == "right")
    }

    @Test func `an unknown name is hashed like a known one, a braked client not at all`() throws {
        let hashings = Counter()
        let desk = desk(try site(), hashings)
        for number in 0..<10 {
            #expect(verdict(desk, number < 2 ? "nobody" : "BigNerdRanch", "\(number)", .local) == "wrong")
        }
        #expect(hashings.count == 10)
        for number in 0..<50 { #expect(verdict(desk, "BigNerdRanch", "\(number)", .local) == "too many") }
        #expect(hashings.count == 10)
    }

    @Test func `right passwords use up none of the attempts`() throws {
        let site = try site()
        for number in 0..<12 { try site.setPassword("x", of: "u\(number)") }
        let desk = desk(site, Counter())
        for number in 0..<12 { #expect(verdict(desk, "u\(number)", "x", .local) == "right") }
        for number in 0..<10 { #expect(verdict(desk, "u0", "\(number)", .local) == "wrong") }
        #expect(verdict(desk, "u0", "11", .local) == "too many")
    }

    @Test func `a crowd with one password costs one hashing, and never more than one runs`() throws {
        let hashings = Counter()
        let desk = desk(try site(), hashings, seconds: 0.1)
        let (done, outcomes) = (DispatchGroup(), Lock<[String: Int]>([:]))
        for number in 0..<200 {
            done.enter()
            // 100 with the right password, 100 guessing four others.
            let password = number % 2 == 0 ? "AchieveNerdvana" : "guess \(number % 8)"
            desk.check(credentials("BigNerdRanch", password), from: .local) { verdict in
                outcomes.withLock { $0[Self.name(verdict), default: 0] += 1 }
                done.leave()
            }
        }
        done.wait()
        #expect(hashings.count == 5)
        #expect(hashings.mostAtOnce == 1)
        // Of those who guess, ten may be wrong; the first four were looked at, the others waited with them.
        #expect(outcomes.withLock { $0 } == ["right": 100, "wrong": 10, "too many": 90])
    }

    @Test func `a flood from many places is refused before it takes memory or all of the time`() throws {
        let hashings = Counter()
        let desk = desk(try site(), hashings, seconds: 0.01)
        let (done, outcomes) = (DispatchGroup(), Lock<[String: Int]>([:]))
        for number in 0..<500 {
            done.enter()
            desk.check(credentials("BigNerdRanch", "\(number)"), from: Self.client(number)) { verdict in
                outcomes.withLock { $0[Self.name(verdict), default: 0] += 1 }
                done.leave()
            }
        }
        done.wait()
        let counts = outcomes.withLock { $0 }
        #expect(counts["busy", default: 0] > 300)
        #expect(counts["wrong", default: 0] == hashings.count)
        #expect(verdict(desk, "BigNerdRanch", "AchieveNerdvana", .local) == "right")
    }

    private func desk(_ site: RunningSite, _ hashings: Counter, seconds: Double = 0) -> PasswordDesk {
        PasswordDesk(accounts: site.store, generations: site.store.generations, limit: 10) { hash, password in
            hashings.begin()
            // Holds the site, whose store the desk asks, for as long as the desk.
            defer { withExtendedLifetime(site) { hashings.end() } }
            if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
            return hash.matches(password)
        }
    }

    private func verdict(_ desk: PasswordDesk, _ name: String, _ password: String, _ client: ClientAddress) -> String {
        let (done, outcome) = (DispatchSemaphore(value: 0), Lock(""))
        desk.check(credentials(name, password), from: client) { verdict in
            outcome.withLock { $0 = Self.name(verdict) }
            done.signal()
        }
        done.wait()
        return outcome.withLock { $0 }
    }

    private static func name(_ verdict: PasswordVerdict) -> String {
        switch verdict {
        case .right: "right"
        case .wrong: "wrong"
        case .tooMany: "too many"
        case .busy: "busy"
        case .failed: "failed"
        }
    }

    private static func client(_ number: Int) -> ClientAddress {
        var storage = sockaddr_storage()
        unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe $0.pointee.sin_family = sa_family_t(AF_INET)
                unsafe $0.pointee.sin_addr.s_addr = UInt32(number)
            }
        }
        return ClientAddress(storage)
    }

    private func credentials(_ name: String, _ password: String) -> BasicCredentials {
        guard let credentials = BasicCredentials("Basic " + Data("\(name):\(password)".utf8).base64EncodedString()) else {
            preconditionFailure("what was just encoded can be read")
        }
        return credentials
    }

    private func basic(_ text: String) -> String { "Authorization: Basic " + Data(text.utf8).base64EncodedString() }
}

/// Counts calls, and how many run at one time.
private final class Counter: Sendable {
    private let state = Lock((count: 0, running: 0, most: 0))

    func begin() {
        state.withLock {
            $0.count += 1
            $0.running += 1
            $0.most = max($0.most, $0.running)
        }
    }

    func end() { state.withLock { $0.running -= 1 } }

    var count: Int { state.withLock { $0.count } }
    var mostAtOnce: Int { state.withLock { $0.most } }
}
