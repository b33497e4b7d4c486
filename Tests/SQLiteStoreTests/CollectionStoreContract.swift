// What every store has to keep about collections. Each rule gets a store of its own, empty and open.
import Shortening
import Testing

/// One rule of the contract. Fails by Swift Testing's expectations.
struct CollectionStoreRule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (any LinkStore & CollectionStore) async throws -> Void

    static let all: [CollectionStoreRule] = collections + members + drawing

    private static let set = CollectionName(stored: "set")

    private static let collections: [CollectionStoreRule] = [
        CollectionStoreRule(testDescription: "a name belongs to one collection, with its letter case") { store in
            #expect(try store.collection(set) == nil)
            #expect(try store.createCollection(set, isPublic: false))
            #expect(try !store.createCollection(set, isPublic: true))
            #expect(try store.createCollection(CollectionName(stored: "Set"), isPublic: true))
            let found = try #require(try store.collection(set))
            #expect(found.name == set && !found.isPublic)
            #expect(try store.collections().map(\.collection.name.text) == ["Set", "set"])
        },
        CollectionStoreRule(
            testDescription: "a removed collection is gone, its links stay, and its number never comes back"
        ) {
            store in
            try await store.adding("a", "https://a.example/")
            #expect(try store.createCollection(set, isPublic: true))
            #expect(try store.addMember(Slug(stored: "a"), to: set) == .added)
            let old = try #require(try store.collection(set))
            #expect(try store.removeCollection(set))
            #expect(try !store.removeCollection(set))
            #expect(try store.collection(set) == nil)
            #expect(try store.members(of: old.id, EventFilter(), after: nil, limit: 10).members.isEmpty)
            #expect(try await store.url("a") != nil)
            #expect(try store.createCollection(set, isPublic: true))
            #expect(try #require(try store.collection(set)).id != old.id)
            #expect(try await store.drawn(set) == nil)
        },
        CollectionStoreRule(testDescription: "collections are listed by name with the number of their members") { store in
            for name in ["b", "a", "c"] {
                _ = try store.createCollection(CollectionName(stored: name), isPublic: name != "c")
            }
            for number in 0..<3 {
                try await store.adding("s\(number)", "https://a.example/")
                _ = try store.addMember(Slug(stored: "s\(number)"), to: CollectionName(stored: "b"))
            }
            #expect(try store.collections().map(\.members) == [0, 3, 0])
            #expect(try store.collections().map(\.collection.isPublic) == [true, true, false])
        },
    ]

    private static let members: [CollectionStoreRule] = [
        CollectionStoreRule(testDescription: "members stand in the order in which they came, each once") { store in
            #expect(try store.addMember(Slug(stored: "a"), to: set) == .noCollection)
            #expect(try store.createCollection(set, isPublic: true))
            #expect(try store.addMember(Slug(stored: "a"), to: set) == .noLink)
            for slug in ["c", "a", "b"] {
                try await store.adding(slug, "https://\(slug).example/")
                #expect(try store.addMember(Slug(stored: slug), to: set) == .added)
            }
            #expect(try store.addMember(Slug(stored: "c"), to: set) == .alreadyMember)
            #expect(try store.slugs(of: set) == ["c", "a", "b"])
            #expect(try store.removeMember(Slug(stored: "a"), from: set))
            #expect(try !store.removeMember(Slug(stored: "a"), from: set))
            #expect(try store.addMember(Slug(stored: "a"), to: set) == .added)
            #expect(try store.slugs(of: set) == ["c", "b", "a"])
            _ = try await store.removing("c")
            #expect(try store.slugs(of: set) == ["b", "a"], "a removed link is no member")
            try await store.adding("c", "https://new.example/")
            #expect(try store.slugs(of: set) == ["b", "a"], "nor is the link that takes its slug")
        },
        CollectionStoreRule(testDescription: "a member comes with its title, tags and events, in their order") { store in
            #expect(try store.createCollection(set, isPublic: true))
            let link = NewLink(
                slug: .chosen(Slug(stored: "a")), longURL: LongURL(stored: "https://a.example/"), title: "Ein Titel")
            _ = try await store.adding(link)
            _ = try store.addMember(Slug(stored: "a"), to: set)
            let slug = Slug(stored: "a")
            #expect(try store.setTags([Tag(stored: "red"), Tag(stored: "big"), Tag(stored: "red")], of: slug))
            #expect(try !store.setTags([], of: Slug(stored: "none")))
            for first in ["2030-11-03", "2014-11-24", "2030-02-01"] { #expect(try store.addEvent(event(first), to: slug)) }
            #expect(try !store.addEvent(event("2030-01-01"), to: Slug(stored: "none")))
            let member = try #require(try store.firstMember(of: set, EventFilter()))
            #expect(member.slug.text == "a" && member.longURL.text == "https://a.example/" && member.title == "Ein Titel")
            #expect(member.tags.map(\.text) == ["big", "red"])
            #expect(member.events.map(\.firstDay.text) == ["2014-11-24", "2030-02-01", "2030-11-03"])
            #expect(member.events[0] == (try event("2014-11-24")))
            #expect(
                try store.firstMember(of: set, EventFilter(year: 2030, month: 11))?.events.map(\.firstDay.text) == [
                    "2030-11-03"
                ])
            #expect(try store.firstMember(of: set, EventFilter(year: 2031)) == nil)
            #expect(try store.setTags([Tag(stored: "blue")], of: slug))
            #expect(try store.firstMember(of: set, EventFilter())?.tags.map(\.text) == ["blue"])
        },
        CollectionStoreRule(
            testDescription: "pages join without a gap, whatever their size, also where a filter empties some"
        ) {
            store in
            #expect(try store.createCollection(set, isPublic: true))
            for number in 0..<60 {
                let slug = Slug(stored: "s\(number)")
                try await store.adding(slug.text, "https://a.example/")
                #expect(try store.addMember(slug, to: set) == .added)
                if number % 10 == 9 { #expect(try store.addEvent(event("2030-01-01"), to: slug)) }
            }
            _ = try store.removeMember(Slug(stored: "s30"), from: set)
            let all = (0..<60).filter { $0 != 30 }.map { "s\($0)" }
            for limit in [1, 7, 59, 60, 1000] {
                #expect(try store.slugs(of: set, limit: limit) == all)
                let filtered = try store.slugs(of: set, EventFilter(month: 1), limit: limit)
                #expect(filtered == [9, 19, 29, 39, 49, 59].map { "s\($0)" })
            }
        },
        CollectionStoreRule(testDescription: "10 links that get one new tag at once all have it") { store in
            for number in 0..<10 { try await store.adding("s\(number)", "https://a.example/") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask { _ = try store.setTags([Tag(stored: "new")], of: Slug(stored: "s\(number)")) }
                }
                try await group.waitForAll()
            }
            for number in 0..<10 {
                let link = try #require(try store.link(Slug(stored: "s\(number)")))
                #expect(try await store.portrait(link.id)?.tags.map(\.text) == ["new"])
            }
        },
        CollectionStoreRule(testDescription: "a portrait has what a link says of itself") { store in
            let id = try await store.adding("a", "https://a.example/")
            let slug = Slug(stored: "a")
            #expect(try await store.portrait(id)?.description == nil)
            #expect(try store.setDescription("old", of: slug) && store.setDescription("Wild, by Ann", of: slug))
            #expect(try await store.portrait(id)?.description == "Wild, by Ann")
            #expect(try await store.portrait(id)?.slug == slug)
            #expect(try store.setDescription(nil, of: slug))
            #expect(try await store.portrait(id)?.description == nil)
            #expect(try !store.setDescription("x", of: Slug(stored: "none")))
            _ = try await store.removing("a")
            #expect(try await store.portrait(id) == nil)
        },
    ]

    private static let drawing: [CollectionStoreRule] = [
        CollectionStoreRule(testDescription: "a draw takes a member with the tag, or any where nobody has it") { store in
            #expect(try await store.drawn(set) == nil)
            #expect(try store.createCollection(set, isPublic: true))
            #expect(try await store.drawn(set) == nil, "nobody is in it")
            for (slug, tag) in [("r", "red"), ("b", "blue"), ("x", "red")] {
                try await store.adding(slug, "https://\(slug).example/")
                _ = try store.setTags([Tag(stored: tag)], of: Slug(stored: slug))
                if slug != "x" { _ = try store.addMember(Slug(stored: slug), to: set) }
            }
            for _ in 0..<20 { #expect(try await store.drawn(set, "red")?.slug.text == "r") }
            for tag in [nil, "green", "never"] {
                #expect(try await store.allDrawn(set, tag) == ["r", "b"])
            }
            #expect(try await store.drawn(set, "blue")?.target.longURL.text == "https://b.example/")
        },
        CollectionStoreRule(testDescription: "a batch of draws is answered in its order") { store in
            for name in ["a", "b"] {
                try await store.adding(name, "https://\(name).example/")
                _ = try store.createCollection(CollectionName(stored: name), isPublic: true)
                _ = try store.addMember(Slug(stored: name), to: CollectionName(stored: name))
            }
            let wishes = ["b", "none", "a", "b", "a"].map { DrawWish(collection: CollectionName(stored: $0), tag: nil) }
            #expect(try await store.drawn(wishes).map { $0?.slug.text } == ["b", nil, "a", "b", "a"])
            #expect(try await store.drawn([DrawWish]()).isEmpty)
        },
        CollectionStoreRule(testDescription: "nobody is drawn from a private collection") { store in
            try await store.adding("a", "https://a.example/")
            #expect(try store.createCollection(set, isPublic: false))
            _ = try store.addMember(Slug(stored: "a"), to: set)
            #expect(try await store.drawn(set) == nil)
        },
        CollectionStoreRule(testDescription: "draws follow every change of members and tags") { store in
            let (red, slugs) = (Tag(stored: "red"), (0..<6).map { Slug(stored: "s\($0)") })
            #expect(try store.createCollection(set, isPublic: true))
            for slug in slugs {
                try await store.adding(slug.text, "https://a.example/")
                _ = try store.addMember(slug, to: set)
                _ = try store.setTags([red], of: slug)
            }
            #expect(try await store.allDrawn(set, "red") == ["s0", "s1", "s2", "s3", "s4", "s5"])
            _ = try store.setTags([], of: slugs[0])
            #expect(try await store.allDrawn(set, "red") == ["s1", "s2", "s3", "s4", "s5"])
            _ = try store.removeMember(slugs[5], from: set)
            #expect(try await store.allDrawn(set, "red") == ["s1", "s2", "s3", "s4"])
            _ = try await store.removing("s2")
            #expect(try await store.allDrawn(set, "red") == ["s1", "s3", "s4"])
            _ = try store.addMember(slugs[5], to: set)
            #expect(try await store.allDrawn(set, "red") == ["s1", "s3", "s4", "s5"])
        },
    ]

    private static func event(_ first: String) throws -> Event {
        let day = try #require(Day(first))
        return try Event(firstDay: day, lastDay: day, instructors: "Ann", location: "Rome")
    }
}

extension CollectionStore {
    func drawn(_ wishes: [DrawWish]) async throws -> [DrawnLink?] {
        try await withCheckedThrowingContinuation { caller in drawMembers(wishes) { caller.resume(with: $0) } }
    }

    func drawn(_ name: CollectionName, _ tag: String? = nil) async throws -> DrawnLink? {
        try await drawn([DrawWish(collection: name, tag: tag.map { Tag(stored: $0) })])[0]
    }

    /// Whoever comes in 200 draws: with six links or fewer, one is missed once in 10^15 tests.
    func allDrawn(_ name: CollectionName, _ tag: String?) async throws -> Set<String> {
        var seen: Set<String> = []
        for _ in 0..<200 { if let drawn = try await drawn(name, tag) { seen.insert(drawn.slug.text) } }
        return seen
    }

    func firstMember(of name: CollectionName, _ filter: EventFilter) throws -> Member? {
        guard let collection = try collection(name) else { return nil }
        return try members(of: collection.id, filter, after: nil, limit: 10).members.first
    }

    func portrait(_ link: LinkID) async throws -> LinkPortrait? {
        try await withCheckedThrowingContinuation { caller in portrait(of: link) { caller.resume(with: $0) } }
    }

    /// The members' slugs, read page by page.
    func slugs(of name: CollectionName, _ filter: EventFilter = EventFilter(), limit: Int = 1000) throws -> [String] {
        guard let collection = try collection(name) else { return [] }
        var (slugs, after): ([String], Int64?) = ([], nil)
        repeat {
            let page = try members(of: collection.id, filter, after: after, limit: limit)
            slugs += page.members.map(\.slug.text)
            after = page.next
        } while after != nil
        return slugs
    }
}
