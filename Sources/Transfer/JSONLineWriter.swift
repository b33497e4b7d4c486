// Links and collections as JSON lines, with everything that is kept about them. The keys are those that `JSONLine` reads, in
// one order, and what a link does not have is left out; so equal links give equal bytes.
internal import Shortening

/// Writes lines into a buffer of its caller's.
struct JSONLineWriter {
    static func append(_ collection: CollectionRecord, to output: inout [UInt8]) {
        output.append(contentsOf: "{\"collection\":".utf8)
        append(collection.name.text, to: &output)
        output.append(contentsOf: ",\"public\":\(collection.isPublic),\"created\":".utf8)
        append(time: collection.created, to: &output)
        output.append(contentsOf: "}\n".utf8)
    }

    static func append(_ link: LinkRecord, to output: inout [UInt8]) {
        output.append(contentsOf: "{\"slug\":".utf8)
        append(link.slug.text, to: &output)
        append(key: "url", to: &output)
        append(link.longURL.text, to: &output)
        if let title = link.title {
            append(key: "title", to: &output)
            append(title, to: &output)
        }
        if let description = link.description {
            append(key: "description", to: &output)
            append(description, to: &output)
        }
        if !link.tags.isEmpty {
            append(key: "tags", to: &output)
            append(list: link.tags, to: &output) { append($0.text, to: &$1) }
        }
        append(key: "created", to: &output)
        append(time: link.created, to: &output)
        if link.clicks > 0 { output.append(contentsOf: ",\"clicks\":\(link.clicks)".utf8) }
        if link.isListed { output.append(contentsOf: ",\"listed\":true".utf8) }
        appendRest(of: link, to: &output)
        output.append(contentsOf: "}\n".utf8)
    }

    private static func appendRest(of link: LinkRecord, to output: inout [UInt8]) {
        if let owner = link.owner {
            append(key: "owner", to: &output)
            append(owner, to: &output)
        }
        if let expires = link.expires {
            append(key: "expires", to: &output)
            append(time: expires, to: &output)
        }
        if let removed = link.removed {
            append(key: "removed", to: &output)
            append(time: removed, to: &output)
        }
        if link.isSqueezed { output.append(contentsOf: ",\"squeezed\":true".utf8) }
        if !link.memberships.isEmpty {
            append(key: "collections", to: &output)
            append(list: link.memberships, to: &output) { membership, output in
                output.append(contentsOf: "{\"name\":".utf8)
                append(membership.collection.text, to: &output)
                if let position = membership.position { output.append(contentsOf: ",\"position\":\(position)".utf8) }
                output.append(UInt8(ascii: "}"))
            }
        }
        if !link.events.isEmpty {
            append(key: "events", to: &output)
            append(list: link.events, to: &output) { event, output in
                output.append(contentsOf: "{\"start\":".utf8)
                append(event.firstDay.text, to: &output)
                append(key: "end", to: &output)
                append(event.lastDay.text, to: &output)
                append(key: "instructors", to: &output)
                append(event.instructors, to: &output)
                append(key: "location", to: &output)
                append(event.location, to: &output)
                output.append(UInt8(ascii: "}"))
            }
        }
    }

    private static func append(key: StaticString, to output: inout [UInt8]) {
        output.append(contentsOf: ",\"".utf8)
        unsafe output.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        output.append(contentsOf: "\":".utf8)
    }

    private static func append(time: Int64, to output: inout [UInt8]) { append(Timestamp.text(time), to: &output) }

    private static func append<Element>(
        list: [Element], to output: inout [UInt8], _ append: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: "["))
        for (index, element) in list.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(element, &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// A JSON string with its quotes (RFC 8259, section 7); escaped is only what has to be.
    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case UInt8(ascii: "\n"): output.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): output.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): output.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                output.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                output.append(contentsOf: String(byte, radix: 16).utf8)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
