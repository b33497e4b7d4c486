// Names and passwords, over a real server and at the desk that checks them.
import Dispatch
import Foundation
import SQLiteStore
import Shortening
import SocketClient
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

    @Test func `an account sees every collection, private and public ones`() async throws {
        let site = try site()
        for name in ["hidden", "courses"] {
            let reply = try await site.get("/private/\(name).json", basic("BigNerdRanch:AchieveNerdvana"))
            #expect(reply.status == 200)
            #expect(try (reply.object()[name] as? [Any])?.count == 1)
            #expect(reply["cache-control"] == "private, no-cache")
        }
        #expect(try await site.get("/private/none.json", basic("BigNerdRanch:AchieveNerdvana")).status == 404)
        #expect(try await site.get("/private/courses.json?month=13", basic("BigNerdRanch:AchieveNerdvana")).status == 400)
        #expect(try await site.get("/hidden.json", basic("BigNerdRanch:AchieveNerdvana")).status == 404)
    }

    @Test(arguments: [
        nil, "Authorization:", "Authorization: Basic", "Authorization: Basic ", "Authorization: Basic !!!!",
        "Authorization: Basic QmlnTmVyZFJhbmNo", "Authorization: Basic QmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ=",
        "Authorization: Bearer QmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ==",
        "Authorization: QmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ==",
        "Authorization: BasicQmlnTmVyZFJhbmNoOkFjaGlldmVOZXJkdmFuYQ==",
    ])
    func `absent and unreadable credentials are challenged`(field: String?) async throws {
        let site = try site()
        let reply =
            if let field { try await site.get("/private/courses.json", field) } else {
                try await site.get("/private/courses.json")
            }
        #expect(reply.status == 401)
        #expect(reply["www-authenticate"] == "Basic realm=\"Shorty\", charset=\"UTF-8\"")
        #expect(try !reply.object().isEmpty && reply.object()["courses"] == nil)
    }

    @Test(arguments: [
        "BigNerdRanch:wrong", "BigNerdRanch:", "bignerdranch:AchieveNerdvana", "nobody:AchieveNerdvana", ":AchieveNerdvana",
        ":", "BigNerdRanch:AchieveNerdvana ", "keyed:", "keyed:x",
    ])
    func `readable but wrong credentials are refused without a challenge`(text: String) async throws {
        let site = try site()
        // An account with a key and no password.
        _ = try site.store.createKey(account: "keyed", label: "", digest: SHA256Digest(of: [1]))
        let reply = try await site.get("/private/courses.json", basic(text))
        #expect(reply.status == 403)
        #expect(reply["www-authenticate"] == nil)
        #expect(try !reply.object().isEmpty && reply.object()["courses"] == nil)
    }

    @Test(arguments: ["pa:ss:word", "pässwörd ☃", "x", "\u{1F33C}:"])
    func `a password may hold colons and any letters`(password: String) async throws {
        let site = try site()
        try site.setPassword(password, of: "user")
        #expect(try await site.get("/private/courses.json", basic("user:" + password)).status == 200)
        let encoded = Data("user:\(password)".utf8).base64EncodedString()
        #expect(try await site.get("/private/courses.json", "AUTHORIZATION: basic   \(encoded)  ").status == 200)
        #expect(try await site.get("/private/courses.json", "authorization: BASIC \(encoded)").status == 200)
    }

    @Test func `after ten wrong ones a minute the next is told to wait, and a right remembered one is not`() async throws {
        let site = try site()
        let right = basic("BigNerdRanch:AchieveNerdvana")
        #expect(try await site.get("/private/courses.json", right).status == 200)
        for number in 0..<10 {
            #expect(try await site.get("/private/courses.json", basic("BigNerdRanch:\(number)")).status == 403)
        }
        let braked = try await site.get("/private/courses.json", basic("BigNerdRanch:11"))
        #expect(braked.status == 429)
        #expect((1...60).contains(Int(braked["retry-after"] ?? "") ?? 0))
        #expect(try await site.get("/private/courses.json", right).status == 200)
    }

    /// Nobody learns which names there are.
    @Test func `an unknown name and a wrong password are told the same`() async throws {
        let site = try site()
        _ = try site.store.createKey(account: "keyed", label: "", digest: SHA256Digest(of: [1]))
        var texts: Set<String> = []
        for text in ["BigNerdRanch:wrong", "nobody:wrong", "keyed:wrong", "nobody:AchieveNerdvana"] {
            let reply = try await site.get("/private/courses.json", basic(text))
            let fields = reply.fields.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }
            texts.insert("\(reply.status) \(fields) \(reply.text)")
        }
        #expect(texts.count == 1, "\(texts)")
    }

    @Test func `a changed password ends the old one at once`() async throws {
        let site = try site()
        #expect(try await site.get("/private/courses.json", basic("BigNerdRanch:AchieveNerdvana")).status == 200)
        try site.setPassword("new", of: "BigNerdRanch")
        #expect(try await site.get("/private/courses.json", basic("BigNerdRanch:AchieveNerdvana")).status == 403)
        #expect(try await site.get("/private/courses.json", basic("BigNerdRanch:new")).status == 200)
    }

    // MARK: At the desk

    @Test func `a right password is hashed once, and again after it was changed, also by another process`() async throws {
        let site = try site()
        let hashings = Counter()
        let desk = desk(site, hashings)
        let client = ClientAddress.local
        for _ in 0..<5 { #expect(await verdict(desk, "BigNerdRanch", "AchieveNerdvana", client) == "right") }
        #expect(hashings.count == 1)
        var keys = site.store.generations.keys.load(ordering: .acquiring)
        let other = try SQLiteStore.open(file: site.store.path)
        defer { other.close() }
        try other.setPassword(#require(PasswordHash(cheaply: Array("AchieveNerdvana".utf8))), of: "someone else")
        try await moved(site, &keys)
        #expect(await verdict(desk, "BigNerdRanch", "AchieveNerdvana", client) == "right")
        #expect(hashings.count == 1, "another account's password is nothing to this one")
        try other.setPassword(#require(PasswordHash(cheaply: Array("new".utf8))), of: "BigNerdRanch")
        try await moved(site, &keys)
        #expect(await verdict(desk, "BigNerdRanch", "AchieveNerdvana", client) == "wrong")
        #expect(hashings.count == 2)
        #expect(await verdict(desk, "BigNerdRanch", "new", client) == "right")
    }

    @Test func `an unknown name is hashed like a known one, a braked client not at all`() async throws {
        let hashings = Counter()
        let desk = desk(try site(), hashings)
        for number in 0..<10 {
            #expect(await verdict(desk, number < 2 ? "nobody" : "BigNerdRanch", "\(number)", .local) == "wrong")
        }
        #expect(hashings.count == 10)
        for number in 0..<50 { #expect(await verdict(desk, "BigNerdRanch", "\(number)", .local) == "too many") }
        #expect(hashings.count == 10)
    }

    @Test func `right passwords use up none of the attempts`() async throws {
        let site = try site()
        for number in 0..<12 { try site.setPassword("x", of: "u\(number)") }
        let desk = desk(site, Counter())
        for number in 0..<12 { #expect(await verdict(desk, "u\(number)", "x", .local) == "right") }
        for number in 0..<10 { #expect(await verdict(desk, "u0", "\(number)", .local) == "wrong") }
        #expect(await verdict(desk, "u0", "11", .local) == "too many")
    }

    @Test func `a crowd with one password costs one hashing, and never more than one runs`() async throws {
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

    @Test func `a flood from many places is refused before it takes memory or all of the time`() async throws {
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
        #expect(await verdict(desk, "BigNerdRanch", "AchieveNerdvana", .local) == "right")
    }

    /// Waits until the daemon has seen another process's commit.
    private func moved(_ site: RunningSite, _ keys: inout UInt32) async throws {
        while site.store.generations.keys.load(ordering: .acquiring) == keys {
            try await Task.sleep(for: .milliseconds(10))
        }
        keys = site.store.generations.keys.load(ordering: .acquiring)
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

    private func verdict(
        _ desk: PasswordDesk, _ name: String, _ password: String, _ client: ClientAddress
    ) async -> String {
        await withCheckedContinuation { caller in
            desk.check(credentials(name, password), from: client) { caller.resume(returning: Self.name($0)) }
        }
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
