// Who may pass with a name and a password. Hashing is slow and hungry on purpose, so as little of it is done as can be, one at a
// time, and off the loops: a right password is remembered for minutes, equal questions wait for one answer, and whoever guesses is
// told to wait before anything is hashed.
//
//   remembered, keys unmoved ───────────────────────────────────────────► right, at once
//   remembered, keys moved ──► the account's hash is the same? ─────────► right, after one read
//                                     │ another, or gone
//   not remembered ◄──────────────────┘
//     └─► too many wrong ones? 429 ─► queue: hash ─► right (remembered) or wrong
internal import Dispatch
internal import HTTP
internal import Shortening
internal import Synchronization
internal import Telemetry

/// What came of a name and a password.
enum PasswordVerdict: Sendable {
    case right
    case wrong
    /// Too many wrong ones; the seconds to wait.
    case tooMany(seconds: Int)
    /// Too many are waiting to be looked at.
    case busy
    /// The account could not be read.
    case failed(StoreError)
}

/// The check of passwords. Any thread.
final class PasswordDesk: Sendable {
    /// How long a right password need not be hashed again.
    private static let memory = Duration.seconds(300)
    /// Right passwords remembered at most, some 200 bytes each. There are not more accounts than that at one time.
    private static let capacity = 4096
    /// Different questions that wait to be hashed: some six seconds of work.
    private static let queueLimit = 32
    /// Who waits for them, all together.
    private static let waiterLimit = 1024

    private struct Remembered: Sendable {
        let hash: PasswordHash
        /// Of the keys, from before the hash was read.
        var generation: UInt32
        let until: ContinuousClock.Instant
    }

    private struct Waiter: Sendable {
        let client: ClientAddress
        /// Whether the brake has counted it already, as if it were wrong.
        let isCounted: Bool
        let done: @Sendable (PasswordVerdict) -> Void
    }

    private struct State: Sendable {
        var remembered: [[UInt8]: Remembered] = [:]
        var waiting: [[UInt8]: [Waiter]] = [:]
        var waiters = 0
    }

    private let accounts: any AccountStore
    private let generations: Generations
    private let brake: AttemptBrake
    private let matches: @Sendable (PasswordHash, [UInt8]) -> Bool?
    private let state = Lock(State())
    /// Serial: the memory of one hashing is all that is ever taken.
    private let queue = DispatchQueue(label: "shorty.passwords")
    private let nobody = PasswordHash.unmatchable()
    /// Secret of this process, so that what is remembered says nothing about the passwords.
    private let salt = KeySecret.generate().text

    /// `limit` wrong passwords a minute for each client address. `matches` hashes; another one is for tests.
    init(
        accounts: any AccountStore, generations: Generations, limit: Int,
        matches: @escaping @Sendable (PasswordHash, [UInt8]) -> Bool? = { $0.matches($1) }
    ) {
        self.accounts = accounts
        self.generations = generations
        self.matches = matches
        brake = AttemptBrake(limit: limit)
    }

    /// Checks a name with a password. `done` is called once: at once where they are remembered or refused unlooked at, else on
    /// another thread.
    func check(
        _ credentials: BasicCredentials, from client: ClientAddress, done: @escaping @Sendable (PasswordVerdict) -> Void
    ) {
        let digest = digest(credentials)
        let generation = generations.keys.load(ordering: .acquiring)
        guard let known = state.withLock({ $0.remembered[digest] }), known.until > .now else {
            return ask(credentials, digest, client, done)
        }
        if known.generation == generation { return done(.right) }
        // Keys move with every commit of another process; mostly the password is the same. This must not wait behind hashings.
        DispatchQueue.global().async { [self] in
            do throws(StoreError) {
                if try isStillRight(known, credentials, digest) { return done(.right) }
            } catch {
                return done(.failed(error))
            }
            ask(credentials, digest, client, done)
        }
    }

    private func isStillRight(
        _ known: Remembered, _ credentials: BasicCredentials, _ digest: [UInt8]
    ) throws(StoreError) -> Bool {
        // From before the read: a change that comes in between makes what is remembered stale, never the reverse.
        let generation = generations.keys.load(ordering: .acquiring)
        let isSame = try accounts.password(of: credentials.name) == known.hash
        state.withLock { state in
            if isSame { state.remembered[digest]?.generation = generation } else { state.remembered[digest] = nil }
        }
        return isSame
    }

    /// Has a password hashed that is not remembered.
    private func ask(
        _ credentials: BasicCredentials, _ digest: [UInt8], _ client: ClientAddress,
        _ done: @escaping @Sendable (PasswordVerdict) -> Void
    ) {
        if join(digest, client, done) { return }
        if let seconds = brake.countWrong(client) { return done(.tooMany(seconds: seconds)) }
        switch enqueue(digest, Waiter(client: client, isCounted: true, done: done)) {
        case .refused:
            brake.takeBack(client)
            done(.busy)
        case .joined: break
        case .first: queue.async { self.finish(digest, self.verdict(credentials, digest)) }
        }
    }

    // MARK: Waiting

    private enum Place { case refused, joined, first }

    /// Waits with those who asked the same; false where nobody did.
    private func join(
        _ digest: [UInt8], _ client: ClientAddress, _ done: @escaping @Sendable (PasswordVerdict) -> Void
    ) -> Bool {
        state.withLock { state in
            guard state.waiting[digest] != nil, state.waiters < Self.waiterLimit else { return false }
            state.waiting[digest]?.append(Waiter(client: client, isCounted: false, done: done))
            state.waiters += 1
            return true
        }
    }

    private func enqueue(_ digest: [UInt8], _ waiter: Waiter) -> Place {
        state.withLock { state in
            let isFirst = state.waiting[digest] == nil
            guard state.waiters < Self.waiterLimit, !isFirst || state.waiting.count < Self.queueLimit else {
                return .refused
            }
            state.waiting[digest, default: []].append(waiter)
            state.waiters += 1
            return isFirst ? .first : .joined
        }
    }

    /// Tells everybody who asked.
    private func finish(_ digest: [UInt8], _ verdict: PasswordVerdict) {
        let waiters = state.withLock { state in
            let waiters = state.waiting.removeValue(forKey: digest) ?? []
            state.waiters -= waiters.count
            return waiters
        }
        for waiter in waiters {
            switch verdict {
            case .wrong:
                let seconds = waiter.isCounted ? nil : brake.countWrong(waiter.client)
                waiter.done(seconds.map { .tooMany(seconds: $0) } ?? .wrong)
            default:
                if waiter.isCounted { brake.takeBack(waiter.client) }
                waiter.done(verdict)
            }
        }
    }

    // MARK: On the queue

    private func verdict(_ credentials: BasicCredentials, _ digest: [UInt8]) -> PasswordVerdict {
        let generation = generations.keys.load(ordering: .acquiring)
        let hash: PasswordHash?
        do throws(StoreError) {
            hash = try accounts.password(of: credentials.name)
        } catch {
            return .failed(error)
        }
        // A name that nobody has is looked at as long as any.
        guard let isRight = matches(hash ?? nobody, credentials.password) else {
            return .failed(.failed("a password cannot be hashed: too little memory, or its account's row is damaged"))
        }
        guard isRight, let hash else { return .wrong }
        remember(digest, Remembered(hash: hash, generation: generation, until: .now + Self.memory))
        return .right
    }

    private func remember(_ digest: [UInt8], _ new: Remembered) {
        state.withLock { state in
            if state.remembered.count >= Self.capacity {
                state.remembered = state.remembered.filter { $0.value.until > .now }
                if state.remembered.count >= Self.capacity { state.remembered.removeAll() }
            }
            state.remembered[digest] = new
        }
    }

    /// The name's length keeps `a` with `b:c` apart from `a:b` with `c`.
    private func digest(_ credentials: BasicCredentials) -> [UInt8] {
        let name = Array(credentials.name.utf8)
        return SHA256Digest(of: Array("\(salt) \(name.count) ".utf8) + name + credentials.password).bytes
    }
}
