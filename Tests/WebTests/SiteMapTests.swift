import Foundation
import Shortening
import Testing

@testable import HTTP
@testable import Web

struct SiteMapTests {
    private let site = SiteMap()

    @Test func `no slug can take the first part of any path of the program's own`() {
        #expect(site.table.reservedNames.count > 5)
        for name in site.table.reservedNames + ["API", "Admin", ".well-known", "index.php", "courses.json", "healthz"] {
            for text in [name, name.uppercased(), name.capitalized] {
                #expect(throws: SlugError.reserved(text)) { try Slug(text, limit: 45, reserved: site.reservedNames) }
            }
        }
    }

    @Test func `every page has what answers it`() {
        for name in ["robots.txt", "favicon.ico", "api-add", "api-get", "api-getall", "view", "add", "healthz", "assets"] {
            #expect(site.table.reservedNames.contains(name), "\(name)")
        }
        #expect(site.actions.count >= 10)
    }
}
