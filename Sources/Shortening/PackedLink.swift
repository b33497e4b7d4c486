// Links on their way into a store in large numbers, each one run of bytes: they are sorted, put aside and read again without
// an object for any of them. Only this program's memory and its scratch files ever hold the form, so it has no version.
//
//     0  length of all, 8      8  row of the input, 8    16  created, 8    24  clicks, 8
//    32  title, 2             34  long URL, 2            36  slug, 1       37  flags, 1, and two zeros
//    40  slug, long URL, title; then what few links have (`PackedDetails`)
//
// Numbers are little-endian; the lengths are of the texts. A collection travels as a «link» whose slug is a NUL and its name.
// NUL sorts before every slug, so collections come before the links in them.

/// A look at a packed link. Reading costs nothing but the reading.
package struct PackedLink: ~Escapable {
    static let headLength = 40

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let listed = Flags(rawValue: 1)
        static let titled = Flags(rawValue: 2)
        static let detailed = Flags(rawValue: 4)
    }

    /// From its first byte to its last.
    package let bytes: Span<UInt8>

    /// The link that begins at the span's first byte.
    @_lifetime(copy bytes)
    package init(at bytes: Span<UInt8>) {
        self.bytes = bytes.extracting(0..<Self.length(bytes))
    }

    /// How long the link is whose first bytes these are, at least 8.
    package static func length(_ bytes: Span<UInt8>) -> Int { Int(bytes.littleEndian(at: 0)) }

    /// The line of the input that it began in.
    package var row: Int { Int(bytes.littleEndian(at: 8)) }
    package var created: Int64 { Int64(bitPattern: bytes.littleEndian(at: 16)) }
    package var clicks: Int64 { Int64(bitPattern: bytes.littleEndian(at: 24)) }
    package var isListed: Bool { flags.contains(.listed) }
    package var hasTitle: Bool { flags.contains(.titled) }
    package var hasDetails: Bool { flags.contains(.detailed) }
    package var isCollection: Bool { bytes[Self.headLength] == 0 }

    package var slug: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(Self.headLength..<slugEnd) }
    }

    package var longURL: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(slugEnd..<urlEnd) }
    }

    /// Empty where there is none.
    package var title: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(urlEnd..<titleEnd) }
    }

    /// What few links have.
    package var details: PackedDetails {
        hasDetails ? PackedDetails(unpacking: bytes.extracting(titleEnd..<bytes.count)) : PackedDetails()
    }

    /// The collection, where it is one.
    package var collection: CollectionRecord? {
        guard isCollection else { return nil }
        let name = bytes.extracting((Self.headLength + 1)..<slugEnd)
        return CollectionRecord(name: CollectionName(stored: name.text), isPublic: isListed, created: created)
    }

    private var flags: Flags { Flags(rawValue: bytes[37]) }
    private var slugEnd: Int { Self.headLength + Int(bytes[36]) }
    private var urlEnd: Int { slugEnd + Int(bytes.littleEndian(at: 32) >> 16 & 0xffff) }
    private var titleEnd: Int { urlEnd + Int(bytes.littleEndian(at: 32) & 0xffff) }
}

/// The numbers of a link that is being packed.
package struct PackedNumbers: Sendable {
    package var row: Int
    package var created: Int64
    package var clicks: Int64
    package var isListed: Bool

    package init(row: Int, created: Int64, clicks: Int64, isListed: Bool) {
        self.row = row
        self.created = created
        self.clicks = clicks
        self.isListed = isListed
    }
}

/// Packed links, one behind the other.
package struct PackedLinks: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Where each begins.
    package private(set) var starts: [Int] = []

    package init() {}

    package var count: Int { starts.count }

    package var isEmpty: Bool { starts.isEmpty }

    /// Makes room, so that growing does not copy.
    package mutating func reserve(bytes: Int, links: Int) {
        self.bytes.reserveCapacity(bytes)
        starts.reserveCapacity(links)
    }

    /// Keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Appends one that is packed already, given from its first byte to its last.
    package mutating func append(_ link: ArraySlice<UInt8>) {
        starts.append(bytes.count)
        bytes.append(contentsOf: link)
    }

    /// Appends a link whose texts are parts of `text`. They were checked: a slug, a long URL in its stored form, a title of a
    /// legal length or nil.
    package mutating func append(
        _ numbers: PackedNumbers, slug: ArraySlice<UInt8>, longURL: ArraySlice<UInt8>, title: ArraySlice<UInt8>?,
        details: PackedDetails? = nil
    ) {
        let start = bytes.count
        starts.append(start)
        var flags: PackedLink.Flags = numbers.isListed ? [.listed] : []
        if title != nil { flags.insert(.titled) }
        if details != nil { flags.insert(.detailed) }
        let titleLength = title?.count ?? 0
        let length = PackedLink.headLength + slug.count + longURL.count + titleLength
        let texts = UInt64(titleLength) | UInt64(longURL.count) << 16 | UInt64(slug.count) << 32
        let head = (
            UInt64(length).littleEndian, UInt64(numbers.row).littleEndian, numbers.created.littleEndian,
            numbers.clicks.littleEndian, (texts | UInt64(flags.rawValue) << 40).littleEndian
        )
        // All of a tuple of like numbers is numbers, and it lives for the call.
        unsafe withUnsafeBytes(of: head) { unsafe bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: slug)
        bytes.append(contentsOf: longURL)
        if let title { bytes.append(contentsOf: title) }
        guard let details else { return }
        details.pack(into: &bytes)
        let total = UInt64(bytes.count - start)
        for index in 0..<8 { bytes[start + index] = UInt8(truncatingIfNeeded: total >> UInt64(8 * index)) }
    }

    /// Appends a collection.
    package mutating func append(_ collection: CollectionRecord, row: Int) {
        let numbers = PackedNumbers(row: row, created: collection.created, clicks: 0, isListed: collection.isPublic)
        append(numbers, slug: ([0] + Array(collection.name.text.utf8))[...], longURL: [], title: nil)
    }
}

extension Span<UInt8> {
    /// A number of eight bytes, the lowest first.
    func littleEndian(at start: Int) -> UInt64 {
        // Any eight bytes are a number, and the load checks that they are there.
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    /// The bytes as a text; what is no UTF-8 becomes U+FFFD.
    package var text: String {
        if let text = try? UTF8Span(validating: self) { return String(copying: text) }
        return String(decoding: indices.map { self[$0] }, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a number as eight bytes, the lowest first.
    mutating func append(littleEndian number: UInt64) {
        // The number lives for the call.
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }
}
