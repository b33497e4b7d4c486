// An old name for a route of a collection, as a person writes it. Whether there is such a collection is found out when it is asked
// for.

/// A path that stands for `/NAME/random` or `/NAME/detail`.
package struct AliasRule: Equatable, Sendable, CustomStringConvertible {
    /// An example of what is understood.
    package static let allowed = #""/showrandom.php=flowers/random?color" or "/detailios.php=flowers/detail""#

    package enum Purpose: String, Sendable {
        case random, detail
    }

    /// One part with its slash.
    package let path: String
    package let collection: String
    package let purpose: Purpose
    /// The query parameter that carries the tag.
    package let tagParameter: String

    /// Reads one alias; nil where it is none: a path of one part, `=`, a collection's name, `/random` or `/detail`, and
    /// maybe `?` with the name of the parameter for the tag, which is `tag` otherwise.
    package init?(_ text: String) {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0].hasPrefix("/") else { return nil }
        let target = sides[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let route = target[0].split(separator: "/", omittingEmptySubsequences: false)
        guard route.count == 2, let purpose = Purpose(rawValue: String(route[1])) else { return nil }
        let names: [Substring] = [sides[0].dropFirst(), route[0], target.count == 2 ? target[1] : "tag"]
        guard names.allSatisfy(Self.isName), route[0].utf8.count <= 45 else { return nil }
        path = "/" + names[0]
        collection = String(names[1])
        self.purpose = purpose
        tagParameter = String(names[2])
    }

    package var description: String {
        "\(path)=\(collection)/\(purpose.rawValue)" + (tagParameter == "tag" ? "" : "?\(tagParameter)")
    }

    /// Unreserved characters (RFC 3986 §2.3), not all of them dots, so that no client writes it otherwise or takes it away.
    private static func isName(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count) && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}
