// Slugs for people who did not choose one. It only draws; whether a slug is free is the index's decision, by trying.
import Synchronization

/// Draws slugs from the system's random source. Any thread; copies share what they learn of how full the space is.
package struct SlugGenerator: Sendable {
    /// Letters and digits without the look-alikes 0 O o 1 l I: 56 of them, so 6 characters give 3 * 10^10 slugs.
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz".utf8)

    /// Failures after which the next draws are one character longer. Four in a row happen by chance once in 16 at a space
    /// half full, and once in 10^4 at a tenth: it grows about when it should.
    private static let patience = 4

    /// Characters of a slug at first.
    package let length: Int

    private let reserved: ReservedNames
    private let growth = Growth()

    /// `length` is brought into 1...45.
    package init(length: Int, reserved: ReservedNames) {
        self.length = min(max(length, 1), Slug.longest)
        self.reserved = reserved
    }

    /// A fresh slug, never a reserved name. `attempt` is 0 for a link's first draw and one more for each draw that the index
    /// refused; every four refusals make it a character longer, up to 45, and later links start from there.
    package func slug(attempt: Int) -> Slug {
        let extra = growth.raised(to: max(attempt, 0) / Self.patience)
        var draws = 0
        while true {
            // The second term ends the loop also where all names of a length are reserved.
            let slug = Self.draw(length: min(length + extra + draws / 16, Slug.longest))
            if !reserved.contains(slug.text) { return slug }
            draws += 1
        }
    }

    /// Six random bits choose a character; the eight values beyond the alphabet are thrown away, so every character is
    /// equally likely. One word serves ten choices: a system call for a slug, not one for each character.
    private static func draw(length: Int) -> Slug {
        var random = SystemRandomNumberGenerator()
        var characters: [UInt8] = []
        characters.reserveCapacity(length)
        while characters.count < length {
            var bits = random.next()
            for _ in 0..<10 where characters.count < length {
                let choice = Int(truncatingIfNeeded: bits & 63)
                if choice < alphabet.count { characters.append(alphabet[choice]) }
                bits >>= 6
            }
        }
        return Slug(stored: String(decoding: characters, as: UTF8.self))
    }

    /// How many characters the full space has added so far.
    private final class Growth: Sendable {
        private let extra = Atomic<Int>(0)

        /// Raises the number to at least `wanted` and answers it. Relaxed: it orders nothing else, and a stale one costs a draw.
        func raised(to wanted: Int) -> Int {
            if wanted > extra.load(ordering: .relaxed) { extra.max(wanted, ordering: .relaxed) }
            return extra.load(ordering: .relaxed)
        }
    }
}
