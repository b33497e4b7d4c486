// What few links have, in the form in which links are sorted and put aside (`PackedLink`): numbers of eight bytes, the lowest
// first, and texts behind their lengths, in the order of the fields. Read by the program that wrote it, within one run.

/// The rarer half of a link.
package struct PackedDetails: Equatable, Sendable {
    package var owner: String?
    package var expires: Int64?
    package var removed: Int64?
    package var isSqueezed = false
    package var description: String?
    package var tags: [Tag] = []
    package var memberships: [LinkRecord.Membership] = []
    package var events: [Event] = []

    package init() {}

    /// Whether there is anything to say.
    package var isEmpty: Bool { self == PackedDetails() }

    func pack(into bytes: inout [UInt8]) {
        Self.append(owner, to: &bytes)
        Self.append(expires, to: &bytes)
        Self.append(removed, to: &bytes)
        bytes.append(isSqueezed ? 1 : 0)
        Self.append(description, to: &bytes)
        Self.append(count: tags.count, to: &bytes)
        for tag in tags { Self.append(tag.text, to: &bytes) }
        Self.append(count: memberships.count, to: &bytes)
        for membership in memberships {
            Self.append(membership.collection.text, to: &bytes)
            Self.append(membership.position, to: &bytes)
        }
        Self.append(count: events.count, to: &bytes)
        for event in events {
            for text in [event.firstDay.text, event.lastDay.text, event.instructors, event.location] {
                Self.append(text, to: &bytes)
            }
        }
    }

    /// Reads what `pack` wrote; anything else traps.
    init(unpacking bytes: Span<UInt8>) {
        var at = 0
        owner = Self.optionalText(bytes, &at)
        expires = Self.number(bytes, &at)
        removed = Self.number(bytes, &at)
        isSqueezed = bytes[at] == 1
        at += 1
        description = Self.optionalText(bytes, &at)
        for _ in 0..<Self.count(bytes, &at) { tags.append(Tag(stored: Self.text(bytes, &at))) }
        for _ in 0..<Self.count(bytes, &at) {
            let collection = CollectionName(stored: Self.text(bytes, &at))
            memberships.append(LinkRecord.Membership(collection: collection, position: Self.number(bytes, &at)))
        }
        for _ in 0..<Self.count(bytes, &at) {
            let texts = (0..<4).map { _ in Self.text(bytes, &at) }
            guard let first = Day(texts[0]), let last = Day(texts[1]) else { continue }
            events.append(Event(stored: first, last, instructors: texts[2], location: texts[3]))
        }
    }

    // MARK: Writing

    private static func append(count: Int, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt64(count))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(count: text.utf8.count, to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ text: String?, to bytes: inout [UInt8]) {
        bytes.append(text == nil ? 0 : 1)
        if let text { append(text, to: &bytes) }
    }

    private static func append(_ number: Int64?, to bytes: inout [UInt8]) {
        bytes.append(number == nil ? 0 : 1)
        if let number { bytes.append(littleEndian: UInt64(bitPattern: number)) }
    }

    // MARK: Reading

    private static func count(_ bytes: Span<UInt8>, _ at: inout Int) -> Int {
        defer { at += 8 }
        return Int(bytes.littleEndian(at: at))
    }

    private static func text(_ bytes: Span<UInt8>, _ at: inout Int) -> String {
        let length = count(bytes, &at)
        defer { at += length }
        return bytes.extracting(at..<(at + length)).text
    }

    private static func optionalText(_ bytes: Span<UInt8>, _ at: inout Int) -> String? {
        at += 1
        return bytes[at - 1] == 0 ? nil : text(bytes, &at)
    }

    private static func number(_ bytes: Span<UInt8>, _ at: inout Int) -> Int64? {
        at += 1
        guard bytes[at - 1] != 0 else { return nil }
        defer { at += 8 }
        return Int64(bitPattern: bytes.littleEndian(at: at))
    }
}
