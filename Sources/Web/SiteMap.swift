// The one route table: every path that is the program's own, and through it every name that no slug may take. It is constant,
// so that the reserved names are known before there is anything that could answer.
package import HTTP
package import Shortening

/// What answers a route. Called on an event loop; must not block.
package typealias RouteAction = @Sendable (Services, borrowing Request, [String], inout Answer) -> Void

/// A path of the program's own and what answers it.
struct Page: Sendable {
    let route: Route
    let action: RouteAction

    init(
        _ methods: [HTTP.Method], _ path: String, ignoringCase ignoresCase: Bool = false, stores: Bool = false,
        action: @escaping RouteAction
    ) {
        route = Route(methods, RoutePattern(path, ignoringCase: ignoresCase), stores: stores)
        self.action = action
    }
}

/// All pages.
package struct SiteMap: Sendable {
    package let table: RouteTable
    let pages: [Page]
    /// What answers each route of the table, by its index.
    var actions: [RouteAction] { pages.map(\.action) }

    /// Names that no slug may take: those of the table, and those of clients whose pages are still to come.
    package let reservedNames: ReservedNames

    private static let namesToCome = [
        "fileaccess", "index.php", "courses.json", "private", "showrandom.php", "showrandomiphone.php", "showrandomios.php",
        "detailiphone.php", "detailios.php",
    ]

    /// `aliases` are old names of collections' routes.
    package init(aliases: [CollectionAlias] = CollectionAlias.flowers) {
        pages =
            HousePages.pages + FlowerImages.pages + ShortifierDialect.pages + SqueezeDialect.pages + CollectionDialect.pages
            + FlowerDialect.pages(aliases: aliases)
        table = RouteTable(pages.map(\.route))
        reservedNames = ReservedNames(table.reservedNames + Self.namesToCome)
    }
}
