// A request as a handler sees it: a view of the connection's bytes that ends with the call.
internal import Telemetry

/// One request with its content. Valid during the handler's call only; what is needed later must be copied.
package struct Request: ~Escapable {
    package let head: RequestHead
    /// The content, unpacked; empty where there is none.
    package let body: Span<UInt8>
    private let peer: Uncounted<Peer>
    private let bytes: Span<UInt8>

    /// Unsafe: whoever makes it holds the peer for as long as the request is used.
    @unsafe @_lifetime(copy bytes, copy body)
    init(head: RequestHead, bytes: Span<UInt8>, body: Span<UInt8>, peer: Peer) {
        self.head = head
        self.bytes = bytes
        self.body = body
        unsafe self.peer = Uncounted(peer)
    }

    package var method: Method { head.method }

    /// Who sent it: the peer, or, where that is a trusted proxy, the right-most address of the chain that is not one.
    package var client: ClientAddress {
        let (address, proxies) = peer.with { ($0.address, $0.proxies) }
        guard let proxies else { return address }
        return ForwardedFields(self).client(behind: address, proxies)
    }

    /// Whether the client used https, by what this server or a trusted proxy saw.
    package var isSecure: Bool {
        let (isSecure, hasProxies) = peer.with { ($0.isSecure, $0.proxies != nil) }
        if isSecure || !hasProxies { return isSecure }
        return ForwardedFields(self).isSecure ?? false
    }

    /// From the first `/` of the target to its `?` or end, as it was sent.
    package var path: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(head.path.indices) }
    }

    /// Behind the first `?`, as it was sent.
    package var query: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(head.query.indices) }
    }

    /// The whole target, as it was sent.
    package var target: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(head.target.indices) }
    }

    /// The value of the first field of this name, which must be given in lower case; nil if there is none. Costs a walk over
    /// the head.
    package func field(_ lowercase: StaticString) -> String? {
        var found: String?
        forEachField(lowercase) { value in
            // Latin-1 would be as right for bytes from 0x80; nobody sends them in the fields that are read.
            if found == nil { found = String(decodingUTF8: value) }
        }
        return found
    }

    /// Calls `body` with the value of each field of this name, in order.
    package func forEachField(_ lowercase: StaticString, _ body: (Span<UInt8>) -> Void) {
        let fields = bytes.extracting(head.fields.indices)
        var at = 0
        while at < fields.count, let line = try? FieldLine(fields, from: at) {
            if matchesIgnoringCase(fields.extracting(line.name.indices), lowercase) {
                body(fields.extracting(line.value.indices))
            }
            at = line.end
        }
    }
}

extension String {
    /// The text of ASCII bytes; nil where there are others. To be preferred where a client's text is compared or hashed: Swift
    /// does that by normal forms, in a time that grows with the square of a run of combining characters.
    package init?(asciiIn bytes: Span<UInt8>) {
        for index in bytes.indices where bytes[index] >= 0x80 { return nil }
        self.init(decodingUTF8: bytes)
    }

    /// The text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD.
    package init(decodingUTF8 bytes: Span<UInt8>) {
        // The buffer is read during the call only.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
