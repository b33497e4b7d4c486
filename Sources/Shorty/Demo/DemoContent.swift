// What there is to play with in a demo: courses with dates around today, flowers with their drawings, and the account that the
// tutorials of the old apps use. None of its links is listed, so that the public listing is the visitor's own.
internal import SQLiteStore
internal import Shortening

enum DemoContent {
    /// The account of the course feed's tutorials.
    static let account = "BigNerdRanch"
    static let password = "AchieveNerdvana"
    static let courses = CollectionName(stored: "courses")
    static let flowers = CollectionName(stored: "flowers")

    /// Fills an empty store. `publicURL` is where the drawings are served. Blocks, half a second of it for the password.
    static func fill(_ store: SQLiteStore, publicURL: String, today: Day) throws(StoreError) {
        _ = try store.createCollection(courses, isPublic: true)
        for (number, course) in DemoCourse.all.enumerated() {
            let url = "https://example.com/courses/\(course.slug)"
            let slug = try add(course.slug, url, course.title, tags: course.tags, to: courses, of: store)
            for (week, length) in course.weeks {
                let first = today.advanced(by: 7 * week + number % 5)
                _ = try store.addEvent(
                    Event(
                        stored: first, first.advanced(by: length - 1), instructors: course.instructors,
                        location: course.location),
                    to: slug)
            }
        }
        _ = try store.createCollection(flowers, isPublic: true)
        for flower in DemoFlower.all {
            let url = "\(publicURL)/assets/flowers/\(flower.name).svg"
            let slug = try add("flower-\(flower.name)", url, flower.title, tags: [flower.colour], to: flowers, of: store)
            _ = try store.setDescription(flower.description + " Drawn for Shorty.", of: slug)
        }
        guard let hash = PasswordHash(of: Array(password.utf8)) else {
            throw .failed("there is no memory to hash a password")
        }
        try store.setPassword(hash, of: account)
    }

    private static func add(
        _ slug: String, _ url: String, _ title: String, tags: [String], to collection: CollectionName, of store: SQLiteStore
    ) throws(StoreError) -> Slug {
        let slug = Slug(stored: slug)
        _ = try store.add(NewLink(slug: .chosen(slug), longURL: LongURL(stored: url), title: title))
        _ = try store.setTags(tags.compactMap { Tag($0) }, of: slug)
        _ = try store.addMember(slug, to: collection)
        return slug
    }
}

/// A course of the demo.
struct DemoCourse {
    let slug: String
    let title: String
    let tags: [String]
    /// When its classes begin, in weeks from today, and how many days they take.
    let weeks: [(week: Int, days: Int)]
    let instructors: String
    let location: String

    private init(
        _ slug: String, _ title: String, _ tags: [String], _ weeks: [(week: Int, days: Int)], _ instructors: String,
        _ location: String
    ) {
        self.slug = slug
        self.title = title
        self.tags = tags
        self.weeks = weeks
        self.instructors = instructors
        self.location = location
    }

    static let all = [
        DemoCourse("first-app", "Your First App", ["ios", "beginners"], [(-2, 5), (3, 5)], "The iOS team", "Atlanta, US"),
        DemoCourse("ios-in-depth", "iOS in Depth", ["ios"], [(1, 7)], "The iOS team", "Asheville, US"),
        DemoCourse(
            "ios-beyond", "Beyond the Basics of iOS", ["ios", "advanced"], [(6, 4), (14, 4)], "The iOS team", "Berlin, DE"),
        DemoCourse(
            "swift-language", "The Swift Language", ["swift", "beginners"], [(-1, 3), (2, 3), (9, 3)], "The Swift team",
            "Online"),
        DemoCourse("swift-servers", "Servers in Swift", ["swift", "advanced"], [(4, 5)], "The Swift team", "Rome, IT"),
        DemoCourse(
            "swift-concurrency", "Doing Two Things at Once", ["swift", "advanced"], [(5, 2)], "The Swift team", "Online"),
        DemoCourse("objective-c", "Reading Objective-C", ["ios"], [(8, 2)], "The iOS team, a guest", "Online"),
        DemoCourse("mac-apps", "Programs for the Mac", ["mac"], [(10, 5)], "The Mac team", "Amsterdam, NL"),
        DemoCourse(
            "android-start", "Android from the Start", ["android", "beginners"], [(0, 7), (12, 7)], "The Android team",
            "Atlanta, US"),
        DemoCourse("android-in-depth", "Android in Depth", ["android"], [(7, 5)], "The Android team", "London, GB"),
        DemoCourse("http-by-hand", "HTTP by Hand", ["web", "beginners"], [(-3, 2), (11, 2)], "The web team", "Online"),
        DemoCourse("web-pages", "Pages without a Framework", ["web"], [(13, 4)], "The web team", "Lisbon, PT"),
    ]
}

/// A flower of the demo, and the drawing of its name.
struct DemoFlower {
    let name: String
    let title: String
    /// A tag; the apps ask by it.
    let colour: String
    let description: String

    private init(_ name: String, _ title: String, _ colour: String, _ description: String) {
        self.name = name
        self.title = title
        self.colour = colour
        self.description = description
    }

    static let all = [
        DemoFlower("anemone", "Anemone", "red", "Anemone coronaria, flowers in spring."),
        DemoFlower("poppy", "Poppy", "red", "Papaver rhoeas, flowers in early summer."),
        DemoFlower("tulip", "Tulip", "red", "Tulipa, flowers in spring."),
        DemoFlower("bellflower", "Bellflower", "blue", "Campanula, flowers in summer."),
        DemoFlower("cornflower", "Cornflower", "blue", "Centaurea cyanus, flowers in summer."),
        DemoFlower("forget-me-not", "Forget-me-not", "blue", "Myosotis, flowers in spring."),
        DemoFlower("buttercup", "Buttercup", "yellow", "Ranunculus, flowers from spring to summer."),
        DemoFlower("daffodil", "Daffodil", "yellow", "Narcissus, flowers in early spring."),
        DemoFlower("sunflower", "Sunflower", "yellow", "Helianthus annuus, flowers in late summer."),
        DemoFlower("bells-of-ireland", "Bells of Ireland", "green", "Moluccella laevis, flowers in late summer."),
        DemoFlower("hellebore", "Green Hellebore", "green", "Helleborus viridis, flowers in late winter."),
        DemoFlower("zinnia", "Green Zinnia", "green", "Zinnia elegans, flowers in summer."),
    ]
}
