import Testing

@testable import Shortening

/// Slugs drawn for people who chose none.
struct SlugGeneratorTests {
    let reserved = ReservedNames([])

    @Test func `a drawn slug has the length asked for, no look-alikes, and passes as a chosen one`() throws {
        for length in [1, 3, 6, 10, 11, 45] {
            let generator = SlugGenerator(length: length, reserved: reserved)
            for _ in 0..<500 {
                let slug = generator.slug(attempt: 0)
                #expect(slug.text.utf8.count == length)
                #expect(!slug.text.contains { "0Oo1lI-_.~".contains($0) })
                #expect(try Slug(slug.text, limit: 45, reserved: reserved) == slug)
            }
        }
    }

    @Test func `no slug of 20,000 comes twice`() {
        let generator = SlugGenerator(length: 8, reserved: reserved)
        #expect(Set((0..<20_000).map { _ in generator.slug(attempt: 0) }).count == 20_000)
    }

    @Test func `every character is about equally likely at every place`() {
        let generator = SlugGenerator(length: 12, reserved: reserved)
        var counts = [[UInt8: Int]](repeating: [:], count: 12)
        for _ in 0..<20_000 {
            for (place, byte) in generator.slug(attempt: 0).text.utf8.enumerated() { counts[place][byte, default: 0] += 1 }
        }
        for place in counts {
            #expect(place.count == 56)
            // 357 expected, standard deviation 18.7: six of them either way.
            for count in place.values { #expect((245...470).contains(count)) }
        }
    }

    @Test func `four refusals make it longer, and later links start there`() {
        let generator = SlugGenerator(length: 2, reserved: reserved)
        #expect((0..<4).map { generator.slug(attempt: $0).text.utf8.count } == [2, 2, 2, 2])
        #expect(generator.slug(attempt: 4).text.utf8.count == 3)
        #expect(generator.slug(attempt: 0).text.utf8.count == 3)
        let copy = generator
        #expect(copy.slug(attempt: 8).text.utf8.count == 4)
        #expect(generator.slug(attempt: 1).text.utf8.count == 4)
        #expect(SlugGenerator(length: 2, reserved: reserved).slug(attempt: 0).text.utf8.count == 2)
    }

    @Test func `it never grows beyond the longest slug`() {
        #expect(SlugGenerator(length: 99, reserved: reserved).slug(attempt: 0).text.utf8.count == 45)
        #expect(SlugGenerator(length: -1, reserved: reserved).slug(attempt: 0).text.utf8.count == 1)
        let generator = SlugGenerator(length: 40, reserved: reserved)
        #expect(generator.slug(attempt: 100_000).text.utf8.count == 45)
        #expect(generator.slug(attempt: .max).text.utf8.count == 45)
        #expect(generator.slug(attempt: .min).text.utf8.count == 45)
    }

    @Test func `reserved names are never drawn`() {
        let alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz"
        let some = SlugGenerator(length: 1, reserved: ReservedNames(["a", "B", "3"]))
        for _ in 0..<2_000 { #expect(!["a", "A", "b", "B", "3"].contains(some.slug(attempt: 0).text)) }
        let all = SlugGenerator(length: 1, reserved: ReservedNames(alphabet.map { String($0) }))
        #expect(all.slug(attempt: 0).text.utf8.count == 2)
    }

    @Test func `a space can be filled to its last slug`() {
        let generator = SlugGenerator(length: 1, reserved: reserved)
        var taken = Set<Slug>()
        for _ in 0..<1_000 {
            var attempt = 0
            while !taken.insert(generator.slug(attempt: attempt)).inserted { attempt += 1 }
        }
        #expect(taken.count == 1_000)
        #expect(generator.slug(attempt: 0).text.utf8.count > 1)
    }
}
